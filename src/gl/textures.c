/* Array textures, and framebuffers that draw into their layers. */
#include "core/error.h"
#include "core/memory.h"
#include "gl/gl.h"

static const struct texture_format {
    GLenum internal, format, type;
    int bytes;
} formats[] = {
    [ABGL_FORMAT_RGBA32F] = { GL_RGBA32F, GL_RGBA, GL_FLOAT, 16 },
    [ABGL_FORMAT_RGBA16F] = { GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8 },
    [ABGL_FORMAT_RGBA8] = { GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4 },
    [ABGL_FORMAT_WORDS] = { GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16 },
    [ABGL_FORMAT_R32F] = { GL_R32F, GL_RED, GL_FLOAT, 4 },
    [ABGL_FORMAT_RG32F] = { GL_RG32F, GL_RG, GL_FLOAT, 8 },
};

/* A framebuffer of layers first … first + count − 1. */
struct gl_target {
    struct gl_target *next;
    int first, count;
    GLuint name;
};

double gl_shape_bytes(const struct gl_shape *shape)
{
    return (double)shape->width * shape->height * shape->layers * formats[shape->format].bytes;
}

bool gl_shape_fits(const struct gl *gl, const struct gl_shape *shape)
{
    return shape->width <= gl->texture_max && shape->height <= gl->texture_max &&
           shape->layers <= gl->layers_max;
}

int gl_texture_create(struct gl *gl, const struct gl_shape *shape, struct gl_texture *texture)
{
    *texture = (struct gl_texture){ .shape = *shape };
    gl->f.GenTextures(1, &texture->name);
    gl->f.BindTexture(GL_TEXTURE_2D_ARRAY, texture->name);
    gl->f.TexStorage3D(GL_TEXTURE_2D_ARRAY, 1, formats[shape->format].internal, shape->width, shape->height,
                       shape->layers);
    gl->f.TexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->f.TexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return gl_check(gl, "creating a texture");
}

void gl_texture_destroy(struct gl *gl, struct gl_texture *texture)
{
    while (texture->targets) {
        struct gl_target *gone = texture->targets;
        texture->targets = gone->next;
        if (gl)
            gl->f.DeleteFramebuffers(1, &gone->name);
        core_free(gone);
    }
    if (gl && texture->name)
        gl->f.DeleteTextures(1, &texture->name);
    *texture = (struct gl_texture){ 0 };
}

void gl_texture_fill(struct gl *gl, const struct gl_texture *texture, int first, int rows, int row_length,
                     const void *texels)
{
    const struct texture_format *format = &formats[texture->shape.format];
    gl->f.BindTexture(GL_TEXTURE_2D_ARRAY, texture->name);
    gl->f.PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->f.PixelStorei(GL_UNPACK_ROW_LENGTH, row_length);
    gl->f.TexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, first, 0, texture->shape.width, rows, 1, format->format,
                        format->type, texels);
}

/* ---- Targets ------------------------------------------------------------------------------------------ */

static struct gl_target *find_target(const struct gl_texture *texture, int first, int count)
{
    struct gl_target *one = texture->targets;
    while (one && (one->first != first || one->count != count))
        one = one->next;
    return one;
}

int gl_target_create(struct gl *gl, struct gl_texture *texture, int first, int count)
{
    GLenum buffers[ABGL_LAYERS_MAX];
    if (find_target(texture, first, count))
        return ABBE_OK;
    struct gl_target *made = core_alloc_zero(1, sizeof *made);
    if (!made)
        return core_fail_memory(gl);
    *made = (struct gl_target){ .next = texture->targets, .first = first, .count = count };
    texture->targets = made;
    gl->f.GenFramebuffers(1, &made->name);
    gl->f.BindFramebuffer(GL_FRAMEBUFFER, made->name);
    for (int i = 0; i < count; i++) {
        buffers[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
        gl->f.FramebufferTextureLayer(GL_FRAMEBUFFER, buffers[i], texture->name, 0, first + i);
    }
    gl->f.DrawBuffers(count, buffers);
    int error = gl_check(gl, "creating a framebuffer");
    if (!error && gl->f.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        error = core_fail(gl, ABBE_ERR_DEVICE,
                          "gl: the driver cannot draw to %d layers of a texture of this format", count);
    return error;
}

void gl_target_bind(struct gl *gl, const struct gl_texture *texture, int first, int count)
{
    gl->f.BindFramebuffer(GL_FRAMEBUFFER, find_target(texture, first, count)->name);
}
