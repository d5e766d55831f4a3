/* The functions of OpenGL ES 3.0 that the GL device calls, loaded at run time. */
#ifndef ABBE_GL_FUNCTIONS_H
#define ABBE_GL_FUNCTIONS_H

#include <GLES3/gl3.h>

#define ABGL_FUNCTIONS(DO)                               \
    DO(ACTIVETEXTURE, ActiveTexture)                     \
    DO(ATTACHSHADER, AttachShader)                       \
    DO(BINDBUFFER, BindBuffer)                           \
    DO(BINDBUFFERBASE, BindBufferBase)                   \
    DO(BINDBUFFERRANGE, BindBufferRange)                 \
    DO(BINDFRAMEBUFFER, BindFramebuffer)                 \
    DO(BINDSAMPLER, BindSampler)                         \
    DO(BINDTEXTURE, BindTexture)                         \
    DO(BINDVERTEXARRAY, BindVertexArray)                 \
    DO(BUFFERDATA, BufferData)                           \
    DO(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus)   \
    DO(COLORMASK, ColorMask)                             \
    DO(COMPILESHADER, CompileShader)                     \
    DO(CREATEPROGRAM, CreateProgram)                     \
    DO(CREATESHADER, CreateShader)                       \
    DO(DELETEBUFFERS, DeleteBuffers)                     \
    DO(DELETEFRAMEBUFFERS, DeleteFramebuffers)           \
    DO(DELETEPROGRAM, DeleteProgram)                     \
    DO(DELETESAMPLERS, DeleteSamplers)                   \
    DO(DELETESHADER, DeleteShader)                       \
    DO(DELETETEXTURES, DeleteTextures)                   \
    DO(DELETEVERTEXARRAYS, DeleteVertexArrays)           \
    DO(DISABLE, Disable)                                 \
    DO(DRAWARRAYS, DrawArrays)                           \
    DO(DRAWBUFFERS, DrawBuffers)                         \
    DO(ENABLE, Enable)                                   \
    DO(FINISH, Finish)                                   \
    DO(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D)       \
    DO(FRAMEBUFFERTEXTURELAYER, FramebufferTextureLayer) \
    DO(GENBUFFERS, GenBuffers)                           \
    DO(GENFRAMEBUFFERS, GenFramebuffers)                 \
    DO(GENSAMPLERS, GenSamplers)                         \
    DO(GENTEXTURES, GenTextures)                         \
    DO(GENVERTEXARRAYS, GenVertexArrays)                 \
    DO(GETBOOLEANV, GetBooleanv)                         \
    DO(GETERROR, GetError)                               \
    DO(GETINTEGER64I_V, GetInteger64i_v)                 \
    DO(GETINTEGERI_V, GetIntegeri_v)                     \
    DO(GETINTEGERV, GetIntegerv)                         \
    DO(GETPROGRAMINFOLOG, GetProgramInfoLog)             \
    DO(GETPROGRAMIV, GetProgramiv)                       \
    DO(GETSHADERINFOLOG, GetShaderInfoLog)               \
    DO(GETSHADERIV, GetShaderiv)                         \
    DO(GETSTRING, GetString)                             \
    DO(GETUNIFORMBLOCKINDEX, GetUniformBlockIndex)       \
    DO(GETUNIFORMLOCATION, GetUniformLocation)           \
    DO(ISENABLED, IsEnabled)                             \
    DO(ISTEXTURE, IsTexture)                             \
    DO(LINKPROGRAM, LinkProgram)                         \
    DO(PIXELSTOREI, PixelStorei)                         \
    DO(READPIXELS, ReadPixels)                           \
    DO(SAMPLERPARAMETERI, SamplerParameteri)             \
    DO(SHADERSOURCE, ShaderSource)                       \
    DO(TEXPARAMETERI, TexParameteri)                     \
    DO(TEXSTORAGE3D, TexStorage3D)                       \
    DO(TEXSUBIMAGE3D, TexSubImage3D)                     \
    DO(UNIFORM1F, Uniform1f)                             \
    DO(UNIFORM1I, Uniform1i)                             \
    DO(UNIFORM2F, Uniform2f)                             \
    DO(UNIFORM2I, Uniform2i)                             \
    DO(UNIFORM4I, Uniform4i)                             \
    DO(UNIFORMBLOCKBINDING, UniformBlockBinding)         \
    DO(USEPROGRAM, UseProgram)                           \
    DO(VIEWPORT, Viewport)

#define ABGL_FIELD(type, name) PFNGL##type##PROC name;
struct gl_functions {
    ABGL_FUNCTIONS(ABGL_FIELD)
};
#undef ABGL_FIELD

#endif
