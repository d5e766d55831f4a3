/* OpenGL ES 3.0 for the scene: a table of functions, loaded at run time, and
 * helpers that every pass uses. Nothing is linked, so that programs start
 * without OpenGL, and any context serves: of EGL, of GLFW, of a browser. */
#ifndef ABBE_SCENE_GL_H
#define ABBE_SCENE_GL_H

#include "scene.h"

#include <stddef.h>

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>

/* DO(type, name): the function glname, of type PFNGLtypePROC. */
#define SCENE_GL_FUNCTIONS(DO)                           \
    DO(ACTIVETEXTURE, ActiveTexture)                     \
    DO(ATTACHSHADER, AttachShader)                       \
    DO(BINDBUFFER, BindBuffer)                           \
    DO(BINDBUFFERBASE, BindBufferBase)                   \
    DO(BINDFRAMEBUFFER, BindFramebuffer)                 \
    DO(BINDRENDERBUFFER, BindRenderbuffer)               \
    DO(BINDTEXTURE, BindTexture)                         \
    DO(BINDVERTEXARRAY, BindVertexArray)                 \
    DO(BLENDFUNC, BlendFunc)                             \
    DO(BLITFRAMEBUFFER, BlitFramebuffer)                 \
    DO(BUFFERDATA, BufferData)                           \
    DO(BUFFERSUBDATA, BufferSubData)                     \
    DO(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus)   \
    DO(CLEAR, Clear)                                     \
    DO(CLEARCOLOR, ClearColor)                           \
    DO(COMPILESHADER, CompileShader)                     \
    DO(CREATEPROGRAM, CreateProgram)                     \
    DO(CREATESHADER, CreateShader)                       \
    DO(DELETEBUFFERS, DeleteBuffers)                     \
    DO(DELETEFRAMEBUFFERS, DeleteFramebuffers)           \
    DO(DELETEPROGRAM, DeleteProgram)                     \
    DO(DELETERENDERBUFFERS, DeleteRenderbuffers)         \
    DO(DELETESHADER, DeleteShader)                       \
    DO(DELETETEXTURES, DeleteTextures)                   \
    DO(DELETEVERTEXARRAYS, DeleteVertexArrays)           \
    DO(DEPTHFUNC, DepthFunc)                             \
    DO(DEPTHMASK, DepthMask)                             \
    DO(DISABLE, Disable)                                 \
    DO(DRAWARRAYS, DrawArrays)                           \
    DO(DRAWELEMENTS, DrawElements)                       \
    DO(ENABLE, Enable)                                   \
    DO(ENABLEVERTEXATTRIBARRAY, EnableVertexAttribArray) \
    DO(FINISH, Finish)                                   \
    DO(FRAMEBUFFERRENDERBUFFER, FramebufferRenderbuffer) \
    DO(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D)       \
    DO(GENBUFFERS, GenBuffers)                           \
    DO(GENFRAMEBUFFERS, GenFramebuffers)                 \
    DO(GENRENDERBUFFERS, GenRenderbuffers)               \
    DO(GENERATEMIPMAP, GenerateMipmap)                   \
    DO(GENTEXTURES, GenTextures)                         \
    DO(GENVERTEXARRAYS, GenVertexArrays)                 \
    DO(GETERROR, GetError)                               \
    DO(GETINTEGERV, GetIntegerv)                         \
    DO(GETPROGRAMINFOLOG, GetProgramInfoLog)             \
    DO(GETPROGRAMIV, GetProgramiv)                       \
    DO(GETSHADERINFOLOG, GetShaderInfoLog)               \
    DO(GETSHADERIV, GetShaderiv)                         \
    DO(GETSTRING, GetString)                             \
    DO(GETSTRINGI, GetStringi)                           \
    DO(GETUNIFORMBLOCKINDEX, GetUniformBlockIndex)       \
    DO(GETUNIFORMLOCATION, GetUniformLocation)           \
    DO(LINKPROGRAM, LinkProgram)                         \
    DO(PIXELSTOREI, PixelStorei)                         \
    DO(POLYGONOFFSET, PolygonOffset)                     \
    DO(READPIXELS, ReadPixels)                           \
    DO(RENDERBUFFERSTORAGE, RenderbufferStorage)         \
    DO(SHADERSOURCE, ShaderSource)                       \
    DO(TEXPARAMETERI, TexParameteri)                     \
    DO(TEXSTORAGE2D, TexStorage2D)                       \
    DO(TEXSUBIMAGE2D, TexSubImage2D)                     \
    DO(UNIFORM1F, Uniform1f)                             \
    DO(UNIFORM1I, Uniform1i)                             \
    DO(UNIFORM3F, Uniform3f)                             \
    DO(UNIFORM4F, Uniform4f)                             \
    DO(UNIFORMBLOCKBINDING, UniformBlockBinding)         \
    DO(UNIFORMMATRIX4FV, UniformMatrix4fv)               \
    DO(USEPROGRAM, UseProgram)                           \
    DO(VERTEXATTRIBPOINTER, VertexAttribPointer)         \
    DO(VIEWPORT, Viewport)

struct scene_gl {
#define MEMBER(type, name) PFNGL##type##PROC name;
    SCENE_GL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads the functions of the current context. Returns false, with the reason, if one is missing. */
bool scene_load(struct scene_gl *gl, scene_get_function get, char reason[SCENE_REASON]);

/* Checks that the current context has OpenGL ES 3.0 and can draw into float textures. */
bool scene_check(const struct scene_gl *gl, char reason[SCENE_REASON]);

/* Writes the reason and returns false. */
bool scene_refuse(char reason[SCENE_REASON], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Textures and framebuffers ---------------------------------------------------- */

/* Creates a texture without mipmaps, bound to the active unit.
 * `filter` is GL_NEAREST or GL_LINEAR. Coordinates clamp. */
GLuint scene_texture(const struct scene_gl *gl, GLenum format, int width, int height, GLint filter);

/* Creates a framebuffer from a colour texture and a depth renderbuffer, or from a depth texture alone; 0
 * stands for none. It stays bound. Returns 0 if the driver cannot draw into it. */
GLuint scene_framebuffer(const struct scene_gl *gl, GLuint colour, GLuint depth_buffer, GLuint depth_texture);

void scene_bind(const struct scene_gl *gl, int unit, GLuint texture);

/* ---- Programs ------------------------------------------------------------------------------------------ */

/* Compiles and links two shaders, given without #version.
 * Returns 0, with the reason, if the driver rejects them. */
GLuint scene_link(const struct scene_gl *gl, const char *vertex, const char *fragment,
                  char reason[SCENE_REASON]);

#endif
