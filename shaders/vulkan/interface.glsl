// Declarations that every shader includes, by the numbers of interface.h, which documents them.
//
// The build defines PLANES, the complex planes of an element: 1 or 2. BLUESTEIN, LONG, HALF and FEW are 0 or 1:
// Bluestein's algorithm, a transform in parts, a grid in 16 bits, at most four stages of radices up to 8. SOURCE_IMAGE and RESULT_IMAGE are 0 or 1:
// the picture, of four channels, is an image instead of a buffer.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#include "interface.h"

layout(local_size_x_id = ABVK_WORKGROUP) in;

layout(constant_id = ABVK_POINTS) const uint N = 1;
layout(constant_id = ABVK_THREADS) const uint T = 1;
layout(constant_id = ABVK_LANES) const uint LANES = 1;
layout(constant_id = ABVK_REGISTERS) const uint REGISTERS = 1;
layout(constant_id = ABVK_SHARED) const uint SHARED = 1;
layout(constant_id = ABVK_STAGES) const uint STAGES = 0;
layout(constant_id = ABVK_RADICES) const uint R0 = 1;
layout(constant_id = ABVK_RADICES + 1) const uint R1 = 1;
layout(constant_id = ABVK_RADICES + 2) const uint R2 = 1;
layout(constant_id = ABVK_RADICES + 3) const uint R3 = 1;
layout(constant_id = ABVK_RADICES + 4) const uint R4 = 1;
layout(constant_id = ABVK_RADICES + 5) const uint R5 = 1;
layout(constant_id = ABVK_RADICES + 6) const uint R6 = 1;
layout(constant_id = ABVK_RADICES + 7) const uint R7 = 1;
layout(constant_id = ABVK_PADDED) const uint PADDED = 0;
layout(constant_id = ABVK_LENGTH) const uint LENGTH = 1;
layout(constant_id = ABVK_BLOCK) const uint BLOCK = 1;
layout(constant_id = ABVK_SOURCE_TYPE) const uint SOURCE_TYPE = 4;
layout(constant_id = ABVK_RESULT_TYPE) const uint RESULT_TYPE = 4;
layout(constant_id = ABVK_FLAGS) const uint FLAGS = 0;
layout(constant_id = ABVK_BAND) const uint BAND = 1;
layout(constant_id = ABVK_PARTS) const uint PARTS = 1;
layout(constant_id = ABVK_TOGETHER) const uint TOGETHER = 1;
layout(constant_id = ABVK_COLUMNS) const uint COLUMNS = 1;

const bool LIGHT = (FLAGS & ABVK_FLAG_LIGHT) != 0u;
const bool ALPHA = (FLAGS & ABVK_FLAG_ALPHA) != 0u;
const bool PREMULTIPLY = (FLAGS & ABVK_FLAG_PREMULTIPLY) != 0u;
const bool ZERO_NONFINITE = (FLAGS & ABVK_FLAG_ZERO_NONFINITE) != 0u;
const bool WIDE = (FLAGS & ABVK_FLAG_WIDE) != 0u;
const bool REAL = (FLAGS & ABVK_FLAG_REAL) != 0u;
const bool BANK = (FLAGS & ABVK_FLAG_BANK) != 0u;
const bool MAGNITUDE = (FLAGS & ABVK_FLAG_MAGNITUDE) != 0u;
const bool QUAD = (FLAGS & ABVK_FLAG_QUAD) != 0u;
const bool SINGLE = (FLAGS & ABVK_FLAG_SINGLE) != 0u;
const bool PACKED = (FLAGS & ABVK_FLAG_PACKED) != 0u;
const bool INTERIOR = (FLAGS & ABVK_FLAG_INTERIOR) != 0u;
const bool MIXED = (FLAGS & ABVK_FLAG_MIXED) != 0u;
const bool TWO_COLUMNS = (FLAGS & ABVK_FLAG_TWO_COLUMNS) != 0u;
const bool OFFSET = (FLAGS & ABVK_FLAG_OFFSET) != 0u;
const bool MANY_TAPS = (FLAGS & ABVK_FLAG_MANY_TAPS) != 0u;
const bool EVEN = (FLAGS & ABVK_FLAG_EVEN) != 0u;
const bool ODD = (FLAGS & ABVK_FLAG_ODD) != 0u;
const bool GATHER = (FLAGS & ABVK_FLAG_GATHER) != 0u;

const uint BANKS = ABVK_BANKS;

// Sample types, as abbe_type numbers them.
const uint U8 = 1u, U16 = 2u, F16 = 3u, F32 = 4u;

#if PLANES == 2
#define ELEMENT vec4
#define BITS uvec4   // the stored bits of each channel of an element
#define HALVES uvec2 // an element in 16 bits
#else
#define ELEMENT vec2
#define BITS uvec2
#define HALVES uint
#endif
const uint CHANNELS = 2u * PLANES; // scalars of an element

#if SOURCE_IMAGE
layout(binding = ABVK_SOURCE_IMAGE) uniform texture2D source_image;
#else
layout(std430, binding = ABVK_SOURCE) readonly buffer Source { uint source[]; };
layout(std430, binding = ABVK_SOURCE) readonly buffer SourceQuads { uvec4 source_quads[]; };
#endif
#if RESULT_IMAGE
layout(binding = ABVK_RESULT_IMAGE) uniform writeonly image2D result_image; // of any format
#else
layout(std430, binding = ABVK_RESULT) writeonly buffer Result { uint result[]; };
layout(std430, binding = ABVK_RESULT) writeonly buffer ResultQuads { uvec4 result_quads[]; };
#endif
#if HALF
layout(std430, binding = ABVK_GRID) buffer Grid { HALVES grid[]; };
layout(std430, binding = ABVK_BACK) buffer Back { HALVES back[]; };
#else
layout(std430, binding = ABVK_GRID) buffer Grid { ELEMENT grid[]; };
layout(std430, binding = ABVK_BACK) buffer Back { ELEMENT back[]; };
#endif
layout(std430, binding = ABVK_FILTERS) readonly buffer Filters { float filters[]; };
layout(std430, binding = ABVK_TABLES) readonly buffer Tables { vec2 tables[]; };
layout(std430, binding = ABVK_MAPS) readonly buffer Maps { int maps[]; };
layout(std430, binding = ABVK_WIDE) buffer Wide { float wide[]; };

#define FIELD(at, type, name) layout(offset = at) type name;
layout(push_constant) uniform Push { ABVK_PUSH_CONSTANTS(FIELD) };
#undef FIELD
