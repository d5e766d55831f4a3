/* OpenGL for the benchmark: a context without a window, textures to filter, and the scene to draw into them. */
#ifndef ABBE_BENCH_STAGE_H
#define ABBE_BENCH_STAGE_H

#include <abbe/gl.h>
#include <scene.h>

/* There is one stage. From the first opening to the last closing its context is current to the thread. The driver must
 * be the one that Abbe's device of this name takes; else, or where there is none, false and the reason. */
bool stage_open(const char *device, char reason[SCENE_REASON]);
void stage_close(void);

/* Abbe in this context, with an engine of the device gl. */
int stage_adopt(const char *engine, int threads, abbe_device **device);

/* A texture of RGBA floats. */
bool stage_picture_create(const abbe_image *like, struct scene_picture *picture, char reason[SCENE_REASON]);
void stage_picture_destroy(struct scene_picture *picture);

/* Rows as they lie in memory, the first one first. false: OpenGL tells an error. */
bool stage_upload(const struct scene_picture *picture, const void *rgba);
bool stage_download(const struct scene_picture *picture, void *rgba);

/* The scene, which is built the first time. */
bool stage_draw(const struct scene_params *view, const struct scene_picture *picture,
                char reason[SCENE_REASON]);

/* Waits until OpenGL has done everything. */
void stage_finish(void);

#endif
