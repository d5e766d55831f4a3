/* The OpenGL context of the benchmark: it has no window;
 * contenders filter textures and draw the scene in it. */
#ifndef ABBE_BENCH_STAGE_H
#define ABBE_BENCH_STAGE_H

#include <abbe/gl.h>
#include <scene.h>

/* There is one stage, which counts its users. Its context is current to the thread from the first stage_open
 * to the last stage_close. Returns false, with the reason, if there is no driver or if it is not the driver
 * of the device of Abbe with this name. */
bool stage_open(const char *device, char reason[SCENE_REASON]);
void stage_close(void);

/* Opens a device of Abbe in this context, with the given engine of the device gl. `look_up` is NULL, or a function of
 * ledger.h that looks up OpenGL's functions. */
int stage_adopt(const char *engine, int threads, void (*(*look_up)(const char *))(void),
                abbe_device **device);

/* Looks up a function of OpenGL while the stage is open. */
void (*stage_function(const char *name))(void);

/* The driver of the context. */
const char *stage_driver(void);

/* Creates a texture of RGBA floats with the size of `like`. */
bool stage_picture_create(const abbe_image *like, struct scene_picture *picture, char reason[SCENE_REASON]);
void stage_picture_destroy(struct scene_picture *picture);

/* Copy rows in the order of the memory. Return false if OpenGL reports an error. */
bool stage_upload(const struct scene_picture *picture, const void *rgba);
bool stage_download(const struct scene_picture *picture, void *rgba);

/* Draws the scene, which the first call creates. */
bool stage_draw(const struct scene_params *view, const struct scene_picture *picture,
                char reason[SCENE_REASON]);

/* Waits for all OpenGL commands. */
void stage_finish(void);

#endif
