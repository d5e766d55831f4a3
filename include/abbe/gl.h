/* Abbe inside a program that draws with OpenGL: filters textures where they are, on the GPU, in the program's own
 * context. No pixel goes to the host.
 *
 *     abbe_gl_adopt(&(abbe_gl_params){ .get_proc_address = eglGetProcAddress,
 *         .get_current_context = eglGetCurrentContext }, &device);
 *     abbe_plan_create(device, &(abbe_plan_params){ .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_F16, .result_type = ABBE_F16, .nonfinite = ABBE_NONFINITE_TRUST,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *
 *     // every frame, after the draw calls:
 *     abbe_gl_filter(plan, scene, &blurred);
 *
 * Installed only where the library was built with the GL device. No header of OpenGL is included here, so that every
 * loader of its functions will do: names of textures are unsigned, as GLuint is.
 * The conventions of abbe.h hold here too. */
#ifndef ABBE_GL_H
#define ABBE_GL_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* Zero in a field is the default. */
typedef struct abbe_gl_params {
    /* A function of OpenGL by its name, those of its core among them: eglGetProcAddress, glfwGetProcAddress. */
    void (*(*get_proc_address)(const char *name))(void);

    /* What is current to the calling thread: eglGetCurrentContext; glXGetCurrentContext, glfwGetCurrentContext and the
     * like with a cast. With it, calls that find another context, or none, are refused. NULL: only those that find none
     * are, and being in the right one is the program's business. */
    void *(*get_current_context)(void);

    /* Words as they stand behind "gl:" in the name of a device, but for a GPU's: "moreland", "fialka:f16". NULL: the
     * engine `fast`, in 32 bits. */
    const char *words;

    /* The first row of a texture is the highest of the picture, as in files. By default it is the lowest, as OpenGL
     * draws; angles of filters are then those that are seen on the screen. Views of abbe_run have theirs on top in any
     * case. */
    bool top_down;

    int threads; /* as in abbe_device_params */
} abbe_gl_params;

/* A device that works in the context that is current to the calling thread: OpenGL ES 3.0 with float render targets
 * (GL_EXT_color_buffer_float), or OpenGL 4.3, core or compatible. It does all that a device of abbe_device_open does, and
 * filters textures besides. A software driver will do: the program has chosen it.
 *
 * From then on the context must be current to whoever calls abbe_plan_create, abbe_run, abbe_submit or abbe_gl_filter
 * with this device (DEVICE otherwise), and to whoever calls abbe_plan_destroy or abbe_device_close: without it these two
 * leave OpenGL's objects to the context, which deletes them when it goes.
 * All of these calls put back whatever they change of the context's state, as abbe_gl_filter does.
 * Errors (under NULL): INVALID, DEVICE (no context is current, or it lacks what is needed), MEMORY. */
ABBE_API int abbe_gl_adopt(const abbe_gl_params *params, abbe_device **device);

/* ---- Textures ----------------------------------------------------------------------------------------- */

/* Filters the texture `source` into the textures `results`, one for each filter of the plan's bank. The plan's device is
 * one that abbe_gl_adopt has made, and the plan has four channels. Textures are two-dimensional; of each level 0 is read
 * or written, which has the plan's width and height and a format by the plan's type:
 *
 *     U8    RGBA8, not sRGB; in linear light when the plan has linear_light
 *     F16   RGBA16F
 *     F32   RGBA32F
 *
 * OpenGL ES before 3.1 does not tell size and format of a texture: there the program's word is taken, and a texture that
 * is smaller makes a wrong picture, nothing worse. All other parameters of textures (filters, wrapping, an incomplete set
 * of levels) are without effect, except for the base level, which must be 0, and the swizzle of the source, which acts.
 *
 * Commands are given to OpenGL as any draw call gives them: what the program drew before is filtered, what it draws after
 * sees the result, and nobody waits. The first call for a plan compiles shaders, which drivers may take a second for, so
 * make it before the first frame; and it makes textures for what lies between the passes, at most abbe_candidate.bytes of
 * the plan's method, which stay until the plan is destroyed.
 *
 * Afterwards the context is as it was. Changed and put back are: both framebuffer bindings; the program; the
 * vertex array; the active unit, and of units 0 to 3 the bindings of 2-D textures, array textures and
 * samplers; the uniform buffer and its binding 0; pixel buffers and pixel storage; viewports; blending and
 * colour masks of draw buffers 0 to 7; scissor tests, culling, dithering and rasterizer discard; in desktop
 * contexts logic operations, clip distances, polygon mode, alpha test and polygon stipple. No error of OpenGL
 * is left; one that had been there is forgotten. Framebuffers of the program that the textures are attached
 * to, and its debug output, are not touched.
 *
 * What the caller sees to: no transform feedback, query of samples or conditional rendering is going on, and
 * nothing that is bound has been deleted. In compatible contexts the colours of fragments are not clamped
 * (GL_CLAMP_FRAGMENT_COLOR is not GL_TRUE), and glPixelTransfer neither scales nor shifts. In OpenGL ES
 * before 3.2 all draw buffers blend alike and have one colour mask, even where GL_EXT_draw_buffers_indexed or
 * GL_OES_draw_buffers_indexed lets them differ: those of draw buffer 0 are put back for all.
 *
 * Source and results are different textures. Samples that are not finite count as 0 with ABBE_NONFINITE_ZERO; with TRUST
 * one of them may spoil the picture, and nothing else.
 * Errors, none of which but the last two writes anything: INVALID (NULL, another device's plan, a texture that is not
 * there, of the wrong size or format, or given twice; other than four channels; a plan with ABBE_NONFINITE_ERROR for F16
 * or F32 samples, since nobody looks at them), UNSUPPORTED (a plan with U16 samples), SIZE (the device cannot take the
 * picture as a whole), MEMORY, DEVICE. */
ABBE_API int abbe_gl_filter(const abbe_plan *plan, unsigned source, const unsigned *results);

#ifdef __cplusplus
}
#endif

#endif
