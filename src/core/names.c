/* The version of the library, and the names of public enumerators. */
#include "core/view.h"

const char *abbe_version(void)
{
#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(ABBE_VERSION_MAJOR, ABBE_VERSION_MINOR, ABBE_VERSION_PATCH);
}

const char *abbe_error_name(int code)
{
    switch ((abbe_error)code) {
    case ABBE_OK: return "ABBE_OK";
    case ABBE_ERR_INVALID: return "ABBE_ERR_INVALID";
    case ABBE_ERR_SYNTAX: return "ABBE_ERR_SYNTAX";
    case ABBE_ERR_RANGE: return "ABBE_ERR_RANGE";
    case ABBE_ERR_SIZE: return "ABBE_ERR_SIZE";
    case ABBE_ERR_MEMORY: return "ABBE_ERR_MEMORY";
    case ABBE_ERR_UNSUPPORTED: return "ABBE_ERR_UNSUPPORTED";
    case ABBE_ERR_NONFINITE: return "ABBE_ERR_NONFINITE";
    case ABBE_ERR_FILE: return "ABBE_ERR_FILE";
    case ABBE_ERR_DEVICE: return "ABBE_ERR_DEVICE";
    case ABBE_ERR_CANCELLED: return "ABBE_ERR_CANCELLED";
    }
    return "unknown error";
}

const char *abbe_border_name(abbe_border border)
{
    switch (border) {
    case ABBE_BORDER_REFLECT: return "reflect";
    case ABBE_BORDER_MIRROR: return "mirror";
    case ABBE_BORDER_CLAMP: return "clamp";
    case ABBE_BORDER_ZERO: return "zero";
    case ABBE_BORDER_CONSTANT: return "constant";
    case ABBE_BORDER_WRAP: return "wrap";
    }
    return NULL;
}

const char *abbe_method_name(abbe_method method)
{
    switch (method) {
    case ABBE_METHOD_AUTO: return "auto";
    case ABBE_METHOD_DIRECT: return "direct";
    case ABBE_METHOD_SEPARABLE: return "separable";
    case ABBE_METHOD_FFT: return "fft";
    case ABBE_METHOD_TILES: return "tiles";
    }
    return NULL;
}

const char *abbe_precision_name(abbe_precision precision)
{
    switch (precision) {
    case ABBE_PRECISION_FULL: return "full";
    case ABBE_PRECISION_HALF: return "half";
    }
    return NULL;
}

const char *core_type_name(abbe_type type)
{
    switch (type) {
    case ABBE_U8: return "U8";
    case ABBE_U16: return "U16";
    case ABBE_F16: return "F16";
    case ABBE_F32: return "F32";
    case ABBE_F64: return "F64";
    case ABBE_I16: return "I16";
    case ABBE_U32: return "U32";
    case ABBE_I32: return "I32";
    }
    return NULL;
}
