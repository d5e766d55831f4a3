/* Text of the shaders in shaders/gl, as the build embedded it. */
#include "gl/gl.h"

#include "copy.frag.h"
#include "direct.frag.h"
#include "finish.frag.h"
#include "load.frag.h"
#include "quad.vert.h"
#include "separable_columns.frag.h"
#include "separable_rows.frag.h"
#include "step.frag.h"
#include "sum.frag.h"

const char *const gl_vertex_text = quad_vert;

const char *const gl_shader_texts[GL_SHADERS] = {
    [GL_SHADER_LOAD] = load_frag,
    [GL_SHADER_STEP] = step_frag,
    [GL_SHADER_SUM] = sum_frag,
    [GL_SHADER_COPY] = copy_frag,
    [GL_SHADER_FINISH] = finish_frag,
    [GL_SHADER_DIRECT] = direct_frag,
    [GL_SHADER_SEPARABLE_ROWS] = separable_rows_frag,
    [GL_SHADER_SEPARABLE_COLUMNS] = separable_columns_frag,
};

const char *const gl_shader_names[GL_SHADERS] = {
    [GL_SHADER_LOAD] = "load.frag",
    [GL_SHADER_STEP] = "step.frag",
    [GL_SHADER_SUM] = "sum.frag",
    [GL_SHADER_COPY] = "copy.frag",
    [GL_SHADER_FINISH] = "finish.frag",
    [GL_SHADER_DIRECT] = "direct.frag",
    [GL_SHADER_SEPARABLE_ROWS] = "separable_rows.frag",
    [GL_SHADER_SEPARABLE_COLUMNS] = "separable_columns.frag",
};
