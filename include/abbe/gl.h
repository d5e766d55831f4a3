/* Abbe inside an application that draws with OpenGL: filters textures on the GPU, in the application's own
 * context. No pixel passes through the host.
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
 * This header is installed only if the library was built with the GL device. It includes no header of OpenGL,
 * so it works with every loader of OpenGL functions; names of textures are `unsigned`, as GLuint is. The
 * conventions of abbe.h apply. */
#ifndef ABBE_GL_H
#define ABBE_GL_H

#include <abbe/abbe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* Parameters of abbe_gl_adopt. Every field except get_proc_address is optional; zero is the default. */
typedef struct abbe_gl_params {
    size_t size; /* sizeof(abbe_gl_params); 0: as of version 0.2 */
    /* Required. Returns a function of OpenGL by its name, including functions of the core: eglGetProcAddress,
     * glfwGetProcAddress. It is called only during abbe_gl_adopt. */
    void (*(*get_proc_address)(const char *name))(void);

    /* Returns the context that is current to the calling thread: eglGetCurrentContext; with a cast also
     * glXGetCurrentContext, glfwGetCurrentContext and the like. It must remain valid while the device is
     * open. Calls that find another context, or none, are then refused. NULL: only calls without a context
     * are refused, and the application must make the right context current. */
    void *(*get_current_context)(void);

    /* The words that follow "gl:" in the name of a device, without a GPU: "moreland", "fialka:f16". The
     * string is not kept. NULL: the engine `fast` with 32 bits. */
    const char *words;

    /* Whether the first row of a texture is the top row of the picture, as in files. By default it is the
     * bottom row, as OpenGL draws, and the angles of filters are those seen on the screen. The first row of
     * the views of abbe_run is always the top row. */
    bool top_down;

    const abbe_device_params *options; /* as in abbe_device_open */

    /* The application sets the state that it relies on itself, before each use, as a page does that draws
     * with this context only what it filters. State is then neither saved nor restored, textures are not
     * checked, and abbe_gl_filter asks the driver nothing, which may mean waiting for another process: in a
     * browser, 300 instead of 519 calls. See abbe_gl_filter. */
    bool alone;
} abbe_gl_params;

/* Creates a device that works in the context that is current to the calling thread.
 *
 * The context must be OpenGL ES 3.0 with float render targets (GL_EXT_color_buffer_float), or OpenGL 4.3,
 * core or compatibility profile. Software drivers are accepted. The device does everything that a device of
 * abbe_device_open does, and filters textures besides. Close it with abbe_device_close.
 *
 * Ownership: the context remains the application's. abbe_plan_destroy and abbe_device_close delete the OpenGL
 * objects of the device if the context is current; otherwise they leave the objects to the context, which
 * deletes them when it is destroyed.
 *
 * Threads: the context must be current to the thread that calls abbe_plan_create, abbe_run, abbe_submit or
 * abbe_gl_filter with this device; they fail with DEVICE otherwise. All of these calls restore the state of
 * the context that they change, as abbe_gl_filter does.
 *
 * Errors (abbe_error_text(NULL)): INVALID (a NULL argument, unknown words, options out of range), DEVICE (no
 * context is current, or it lacks a version, a function or float render targets), MEMORY. *device is written
 * only on success. */
ABBE_API int abbe_gl_adopt(const abbe_gl_params *params, abbe_device **device);

/* ---- Textures ----------------------------------------------------------------------------------------- */

/* Filters the texture `source` into the textures `results`, one for each filter of the plan's bank.
 *
 * The plan must be for a device of abbe_gl_adopt and have four channels. Textures must be two-dimensional.
 * Their level 0 is read or written; it must have the plan's width and height and a format for the plan's
 * type:
 *
 *     U8    RGBA8, not sRGB; decoded to linear light if the plan has linear_light
 *     F16   RGBA16F
 *     F32   RGBA32F
 *
 * OpenGL ES before 3.1 cannot query size and format of a texture. There they are not checked; a texture that
 * is too small gives a wrong picture and has no other effect. All other parameters of textures (filters,
 * wrapping, an incomplete set of levels) have no effect, except for the base level, which must be 0, and the
 * swizzle of the source, which applies.
 *
 * Aliasing: source and results must be different textures.
 *
 * Order: commands are queued as those of any draw call. Earlier drawing of the application is filtered, later
 * drawing sees the results, and the call does not wait for the GPU. The first call for a plan compiles
 * shaders, which can take a second; make it before the first frame. It also creates textures for intermediate
 * results, which take at most abbe_candidate.bytes of the plan's method and are kept until the plan is
 * destroyed.
 *
 * State: the call changes and restores both framebuffer bindings; the program; the vertex array; the active
 * texture unit, and for units 0 to 3 the bindings of 2-D textures, array textures and samplers; the uniform
 * buffer and its binding 0; pixel buffers and pixel storage; viewports; blending and colour masks of draw
 * buffers 0 to 7; scissor tests, culling, dithering and rasterizer discard; in desktop contexts logic
 * operations, clip distances, polygon mode, alpha test and polygon stipple. No OpenGL error is left behind,
 * and an earlier one of the application is lost. Framebuffers of the application to which the textures are
 * attached, and its debug output, are not touched.
 *
 * The application must ensure that no transform feedback, occlusion query or conditional rendering is active
 * and that no bound object has been deleted. In the compatibility profile GL_CLAMP_FRAGMENT_COLOR must not be
 * GL_TRUE, and glPixelTransfer must neither scale nor shift. In OpenGL ES before 3.2 all draw buffers share
 * blending and the colour mask, even where GL_EXT_draw_buffers_indexed or GL_OES_draw_buffers_indexed lets
 * them differ: the state of draw buffer 0 is restored for all of them.
 *
 * With abbe_gl_params.alone the call leaves behind: framebuffer, vertex array, samplers of units 0 to 3 and
 * pixel and uniform buffers unbound; initial values of pixel storage; another program, textures, viewport,
 * blending, colour mask and switches than before; and OpenGL errors, which it does not look for. After an
 * error, results may be unwritten.
 *
 * Non-finite samples count as 0 with ABBE_NONFINITE_ZERO. With ABBE_NONFINITE_TRUST one of them can spread
 * over the results, with no other effect. ABBE_NONFINITE_ERROR is refused for F16 and F32, because samples of
 * textures are not checked.
 *
 * Threads: the context of the device must be current to the calling thread.
 *
 * Errors (abbe_error_text of the plan's device): INVALID (a NULL argument; a plan of another device, with
 * another number of channels, or with ABBE_NONFINITE_ERROR for F16 or F32; a texture that does not exist, has
 * another size or format, or is given twice), UNSUPPORTED (a plan with U16 samples), SIZE (the picture does
 * not fit the device as a whole), MEMORY, DEVICE. Results are written only on success or with one of the last
 * two errors. */
ABBE_API int abbe_gl_filter(const abbe_plan *plan, unsigned source, const unsigned *results);

#ifdef __cplusplus
}
#endif

#endif
