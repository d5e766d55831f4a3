/* Text of the shaders in shaders/gl, embedded by the build. */
#include "gl/draw.h"

#include "copy.frag.h"
#include "direct.frag.h"
#include "fialka.frag.h"
#include "finish.frag.h"
#include "load.frag.h"
#include "moreland_fft.frag.h"
#include "moreland_multiply.frag.h"
#include "moreland_pass.frag.h"
#include "moreland_scale.frag.h"
#include "moreland_tangle.frag.h"
#include "moreland_untangle.frag.h"
#include "multiply.frag.h"
#include "quad.vert.h"
#include "separable_columns.frag.h"
#include "separable_rows.frag.h"
#include "step.frag.h"
#include "sum.frag.h"

const char *const gl_vertex_text = quad_vert;

#define TEXT(name, file) [ABGL_SHADER_##name] = file##_frag,
const char *const gl_shader_texts[ABGL_SHADERS] = { ABGL_SHADER_FILES(TEXT) };

#define FILE_NAME(name, file) [ABGL_SHADER_##name] = #file ".frag",
const char *const gl_shader_names[ABGL_SHADERS] = { ABGL_SHADER_FILES(FILE_NAME) };
