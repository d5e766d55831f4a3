// What host and shaders agree on: specialisation constants, buffers, push constants. src/vulkan/interface.h is the
// other half.
//
// PLANES is 1 or 2 by the compiler's command line, and BLUESTEIN, LONG and HALF, the grid in 16 bits, 0 or 1. An element
// holds one complex plane (two channels of the picture) or two of them (four channels), and a group is the channels of
// one element. SOURCE_IMAGE and RESULT_IMAGE, 0 or 1 as well: a picture of four channels is an image, and no buffer.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x_id = 0) in;

layout(constant_id = 1) const uint N = 1;         // points of the transform
layout(constant_id = 2) const uint T = 1;         // threads of one transform
layout(constant_id = 3) const uint LANES = 1;     // transforms of one workgroup
layout(constant_id = 4) const uint REGISTERS = 1; // elements a thread holds
layout(constant_id = 5) const uint SHARED = 1;    // words of shared memory for one part of all elements
layout(constant_id = 6) const uint STAGES = 0;
layout(constant_id = 7) const uint R0 = 1; // radices, in the order of the forward transform
layout(constant_id = 8) const uint R1 = 1;
layout(constant_id = 9) const uint R2 = 1;
layout(constant_id = 10) const uint R3 = 1;
layout(constant_id = 11) const uint R4 = 1;
layout(constant_id = 12) const uint R5 = 1;
layout(constant_id = 13) const uint R6 = 1;
layout(constant_id = 14) const uint R7 = 1;
layout(constant_id = 15) const uint PADDED = 0; // 1: there is shared memory for places that keep strides apart
layout(constant_id = 16) const uint LENGTH = 1; // samples; shorter than N where Bluestein's algorithm is at work
layout(constant_id = 17) const uint BLOCK = 1;  // columns that lie together in the grid
layout(constant_id = 18) const uint SOURCE_TYPE = 4;
layout(constant_id = 19) const uint RESULT_TYPE = 4;
layout(constant_id = 20) const uint FLAGS = 0;
layout(constant_id = 21) const uint BAND = 1;  // rows that lie together in the grid
layout(constant_id = 22) const uint PARTS = 1; // transforms that one of more points is made of
layout(constant_id = 23) const uint TOGETHER = 1; // parts of elements that are exchanged together
layout(constant_id = 24) const uint COLUMNS = 1; // of the grid

const bool LIGHT = (FLAGS & 1u) != 0u;           // samples are sRGB-coded
const bool ALPHA = (FLAGS & 2u) != 0u;           // the last channel is alpha
const bool PREMULTIPLY = (FLAGS & 4u) != 0u;     // and colours are multiplied by it
const bool ZERO_NONFINITE = (FLAGS & 8u) != 0u;  // NaN and infinity count as 0
const bool WIDE = (FLAGS & 16u) != 0u;           // results go to `wide` as floats; finish.comp stores them
const bool REAL = (FLAGS & 32u) != 0u;           // H is real
const bool BANK = (FLAGS & 64u) != 0u;           // several filters on one forward transform
const bool MAGNITUDE = (FLAGS & 128u) != 0u;     // the result is √(a² + b²) of two filters
const bool QUAD = (FLAGS & 256u) != 0u;          // four channels
const bool LONE = (FLAGS & 512u) != 0u;          // one channel: two rows share a plane
const bool PACKED = (FLAGS & 1024u) != 0u;       // pixels are put together to words in shared memory
const bool PLAIN = (FLAGS & 2048u) != 0u;        // a window is the picture: no border, no maps
const bool ODD = (FLAGS & 4096u) != 0u;          // three channels or more, an odd number: row.glsl
const bool TWIN = (FLAGS & 8192u) != 0u;         // an element of the column pass is two neighbouring columns of one plane
const bool OFFSET = (FLAGS & 16384u) != 0u;      // something is added to results

const uint BANKS = 32; // words of shared memory that threads reach at the same time

// Sample types, as abbe_type numbers them.
const uint U8 = 1u, U16 = 2u, F16 = 3u, F32 = 4u;

#if PLANES == 2
#define ELEMENT vec4
#define BITS uvec4 // an element as its result stores it
#define HALVES uvec2 // an element in 16 bits
#else
#define ELEMENT vec2
#define BITS uvec2
#define HALVES uint
#endif
const uint CHANNELS = 2u * PLANES; // of an element

#if SOURCE_IMAGE
layout(binding = 16) uniform texture2D source_image;
#else
layout(std430, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, binding = 0) readonly buffer SourceQuads { uvec4 source_quads[]; };
#endif
#if RESULT_IMAGE
layout(binding = 17) uniform writeonly image2D result_image; // of any format
#else
layout(std430, binding = 1) writeonly buffer Result { uint result[]; };
layout(std430, binding = 1) writeonly buffer ResultQuads { uvec4 result_quads[]; };
#endif
#if HALF
layout(std430, binding = 2) buffer Grid { HALVES grid[]; };
layout(std430, binding = 3) buffer Back { HALVES back[]; };
#else
layout(std430, binding = 2) buffer Grid { ELEMENT grid[]; };
layout(std430, binding = 3) buffer Back { ELEMENT back[]; };
#endif
layout(std430, binding = 4) readonly buffer Filters { float filters[]; }; // spectra, or taps
layout(std430, binding = 5) readonly buffer Tables { vec2 tables[]; };    // twiddles, and Bluestein's chirps
layout(std430, binding = 6) readonly buffer Maps { int maps[]; };         // borders: index of a source pixel, or −1
layout(std430, binding = 7) buffer Wide { float wide[]; };                // results as interleaved floats

layout(push_constant) uniform Push {
    uint width, height; // of the region's results
    uint channels;
    uint source_pitch, result_pitch; // words
    uint number;                     // of the result at hand
    uint step_x, step_y;             // results of a tile
    uint before_x, before_y;         // samples in front of them
    uint across, first_tile;         // tiles side by side; the first of this dispatch
    uint rows, columns;              // rows of the grid; both, of the window that a convolution in space looks at
    uint map_x, map_y;               // where the border maps begin
    uint table;                      // where the twiddles begin
    uint tile_stride, group_stride;  // elements from tile to tile, from group to group
    uint back_stride;                // elements from filter to filter
    uint filter_first, filter_count; // the filters of this dispatch
    uint filter_place;               // of the first one in `back`
    uint taps_x, taps_y;             // of the kernel
    int centre_x, centre_y;
    uint taps_first; // float where they begin
    float outside_colour, outside_alpha;
    float alpha_gain, offset;
};
