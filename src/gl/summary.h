/* The summary of the GL device, in builds with the device and without it. */
#ifndef ABBE_GL_SUMMARY_H
#define ABBE_GL_SUMMARY_H

#define ABGL_SUMMARY \
    "a GPU through OpenGL ES; gl:fast, gl:fialka or gl:moreland selects the engine, gl:f16 half precision"

#endif
