/* Abbe: filters images in the Fourier plane, or directly where that is faster.
 *
 * There are four kinds of objects:
 *   device   where filtering runs       abbe_device_open / abbe_device_close
 *   filter   what is done to an image   abbe_filter_*    / abbe_filter_destroy
 *   plan     how it is done             abbe_plan_create / abbe_plan_destroy
 *   image    a view of pixels           abbe_image, a struct that owns nothing
 *
 * One call filters an image:
 *
 *     abbe_image picture = { .data = pixels, .width = 640, .height = 480, .channels = 3, .type = ABBE_U8 };
 *     if (abbe_apply(NULL, "gaussian:sigma=3", ABBE_BORDER_REFLECT, &picture, &picture))
 *         fprintf(stderr, "%s\n", abbe_last_error());
 *
 * A plan gives more choices: filters from memory, banks of them, alpha, linear light, the method, progress.
 * abbe_run() runs it. abbe_submit() and abbe_wait() do the same in two steps, to keep a GPU busy.
 *
 *     abbe_device *device = NULL;
 *     abbe_filter *blur = NULL;
 *     abbe_plan *plan = NULL;
 *     abbe_device_open("auto", NULL, &device);
 *     abbe_filter_parse("gaussian:sigma=12", NULL, &blur);
 *     abbe_plan_create(device, &(abbe_plan_params){
 *         .width = 1920, .height = 1080, .channels = 4,
 *         .source_type = ABBE_U8, .result_type = ABBE_U8,
 *         .filters = (const abbe_filter *[]){ blur }, .filter_count = 1 }, &plan);
 *     abbe_run(plan, &source, &result);
 *
 * These conventions hold for every function:
 *   - Errors. A function that can fail returns ABBE_OK (0) or a negative ABBE_ERR_* code. After a failure
 *     nothing has been written through its output parameters, nothing leaks, and abbe_error_text() returns a
 *     message. "Errors" lists the codes without their prefix; "Errors, under NULL" means that the message is
 *     read by abbe_error_text(NULL).
 *   - Parameters are required unless marked optional. A required pointer that is NULL is ABBE_ERR_INVALID.
 *   - Ownership. Destroy, close and free functions take the address of the object and clear it; NULL and a
 *     cleared object are accepted. Returned strings and arrays belong to the library. Strings and structs
 *     passed in are copied.
 *   - Growth. Structs get new fields at their end in later versions, and programs that were compiled before
 *     keep working. A parameter struct begins with `size`: sizeof the struct, or 0, which means the struct as
 *     of version 0.2. A program that uses a field newer than 0.2 sets it. A smaller size is INVALID. Where
 *     the program's struct is newer than the library, the fields that the library does not know must be 0, or
 *     the call is UNSUPPORTED. Other structs belong to the library, which hands out pointers to them, or are
 *     marked as frozen: they never change.
 *   - Threads. Functions may be called by several threads at once, also for the same device, filter or plan,
 *     as long as no thread destroys an object that another one uses. A matrix or a view has no lock.
 *   - Lifetimes. Objects do not count their users. A plan that is destroyed, or a device that is closed,
 *     while a run of it is under way, in another thread or in the caller of the present callback, is memory
 *     that is freed while it is used: the program may crash or write anywhere. End the run first, by
 *     progress() for example, and wait for the call to return. abbe_apply_clear may be called at any time.
 *   - Processes. A child of fork() may use filters, and devices and plans of the CPU, with threads, whatever
 *     the other threads of its parent were doing; memory that these used is lost to it. GPUs do not survive:
 *     in the child, a CUDA, Vulkan or GL device that was opened before answers DEVICE, plans of `auto`
 *     continue on the CPU, and closing or destroying them calls no driver. The child may open Vulkan again if
 *     no other thread was inside its driver; CUDA, if the parent had used it, and GL are refused. A child
 *     that is forked inside a callback must not return from it. dlclose ends the library's threads and
 *     releases what abbe_apply keeps, except a GPU that calls without a device have opened, whose driver may
 *     be gone before; abbe_apply_clear(NULL) closes it. All other objects must be destroyed before, and no
 *     call may be under way.
 *   - Samples. Integers stand for fractions of their largest value: U8 0…255, U16 0…65535 and U32 for 0…1,
 *     I16 −32767…32767 and I32 for −1…1; abbe_plan_params.scale can change that. F16, F32 and F64 are used
 *     unchanged. Rows run from top to bottom, x runs to the right.
 *   - Callbacks must return. Where longjmp or a C++ exception leaves one, the memory of the call is lost,
 *     locks may stay held so that later calls hang, and the C++ runtime may end the program. A callback in
 *     C++ catches everything, keeps it, returns the number that stops the call (every callback that returns
 *     an int has one), and its program throws again after the call.
 *   - Precision. Arithmetic is F32, unless a plan asks for ABBE_PRECISION_DOUBLE. Errors are relative to the
 *     whole picture: methods in the Fourier plane carry two channels or two rows in one complex number, so a
 *     channel that is a million times darker than its neighbour keeps few digits. Sums over the picture must
 *     stay within the range of F32. docs/maths.md has the error bounds.
 *   - Angles are degrees, counter-clockwise on the screen, 0 along x.
 *   - Scaling. Transforms follow Moreland & Angel 2003: W = e^(−j2π/N), the forward transform carries
 *     1/(M·N), the inverse transform carries no factor.
 */
#ifndef ABBE_ABBE_H
#define ABBE_ABBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ABBE_API __attribute__((visibility("default")))
#else
#define ABBE_API
#endif

#define ABBE_VERSION_MAJOR 0
#define ABBE_VERSION_MINOR 2
#define ABBE_VERSION_PATCH 0

/* The largest side of an image, the largest side of a kernel or matrix, and the most channels. */
#define ABBE_SIDE_MAX (1 << 30)
#define ABBE_KERNEL_SIDE_MAX (1 << 17)
#define ABBE_CHANNELS_MAX 64

typedef struct abbe_device abbe_device;
typedef struct abbe_filter abbe_filter;
typedef struct abbe_plan abbe_plan;
typedef struct abbe_ticket abbe_ticket;

/* ---- Errors and version ------------------------------------------------------------------------------- */

typedef enum abbe_error {
    ABBE_OK = 0,
    ABBE_ERR_INVALID = -1,     /* a parameter is NULL, below 1, an unknown enumerator, … */
    ABBE_ERR_SYNTAX = -2,      /* the text of a filter or matrix cannot be parsed */
    ABBE_ERR_RANGE = -3,       /* a filter parameter is outside its range */
    ABBE_ERR_SIZE = -4,        /* a size is above its limit, or a product of sizes overflows */
    ABBE_ERR_MEMORY = -5,      /* not enough memory, on the host or on the device */
    ABBE_ERR_UNSUPPORTED = -6, /* the device, the method or this build cannot do it */
    ABBE_ERR_NONFINITE = -7,   /* a sample or a number is NaN or infinite */
    ABBE_ERR_FILE = -8,        /* the loader failed to load a file that a filter names */
    ABBE_ERR_DEVICE = -9,      /* the device or its driver failed */
    ABBE_ERR_CANCELLED = -10   /* abbe_watch.progress stopped the run */
} abbe_error;

/* Returns the version of the library as "major.minor.patch". A program that compares it with ABBE_VERSION_*
 * finds out whether it runs with another version than it was compiled for. */
ABBE_API const char *abbe_version(void);

/* Returns the name of an error code, such as "ABBE_ERR_SIZE"; "unknown error" for other numbers. */
ABBE_API const char *abbe_error_name(int code);

/* Returns the message of the last failure.
 *
 * device   Optional. The device of the failed call; NULL for functions without a device (filters, matrices)
 *          and for functions that open one. Functions of a plan or a ticket record for the device that the
 *          plan was made with.
 *
 * The message is in English, without a final period, and names the parameter that is wrong. It is "" when no
 * call failed.
 * Ownership: the text is valid until the next failure in the calling thread.
 * Threads: each thread sees its own failures, and keeps the messages of the last four devices that
 * failed in it. */
ABBE_API const char *abbe_error_text(const abbe_device *device);

/* Returns the message of the calling thread's last failure, whatever failed, with or without a device. It can
 * be read after the device was closed. "" when no call failed; after a call that succeeded it may also be
 * about something that the call overcame.
 * Ownership: the text is valid until the next failure in the calling thread. */
ABBE_API const char *abbe_last_error(void);

/* ---- Images ------------------------------------------------------------------------------------------- */

/* The type of a sample. 0 is not a type. The enumerators are 1 to ABBE_TYPE_COUNT. */
#define ABBE_TYPE_COUNT 8
typedef enum abbe_type {
    ABBE_U8 = 1,
    ABBE_U16 = 2,
    ABBE_F16 = 3, /* IEEE 754 binary16 */
    ABBE_F32 = 4,
    ABBE_F64 = 5,
    ABBE_I16 = 6,
    ABBE_U32 = 7,
    ABBE_I32 = 8
} abbe_type;

/* A view of pixels in memory that the application owns. Sample (x, y, c) is at
 *     (char *)data + y·stride + x·pixel_stride + c·channel_stride.
 * Strides are bytes, may be negative, and need not be multiples of the sample size; nothing needs to be
 * aligned. A stride of 0 means packed, so that a picture without padding needs no strides at all:
 *     { .data = rgb, .width = w, .height = h, .channels = 3, .type = ABBE_U8 }                    packed RGB
 *     { .data = rgbx, …, .channels = 3, .pixel_stride = 4, .type = ABBE_U8 }          RGB of packed RGBX
 *     { .data = planes, …, .channels = 3, .channel_stride = w * h, .type = ABBE_U8 }    planes, one by one
 * A stride of 0 is never a broadcast: a binding must copy an array that has a stride of 0 along an axis of
 * several positions. The samples of a view must not overlap. Packed pixels and planes are filtered where
 * they lie; other layouts are copied on the way.
 * Frozen since 0.2. */
typedef struct abbe_image {
    union {
        void *data;             /* Required. The sample at x 0, y 0, channel 0. */
        const void *const_data; /* The same for a source that the application may not write. */
    };
    int width, height; /* Required. 1 to ABBE_SIDE_MAX. */
    int channels;      /* Required. 1 to ABBE_CHANNELS_MAX. */
    ptrdiff_t stride;  /* from one row to the next; 0: width · pixel_stride */
    abbe_type type;    /* Required. */
    /* From one pixel to the next; 0: the size of a sample in planes (a channel_stride that is neither 0 nor
     * the size of a sample), else the size of all channels. */
    ptrdiff_t pixel_stride;
    ptrdiff_t channel_stride; /* from one channel to the next; 0: the size of a sample */
} abbe_image;

/* Returns the bytes of one sample: 1, 2, 4 or 8; 0 for an unknown type. */
ABBE_API size_t abbe_type_size(abbe_type type);

/* ---- Devices ------------------------------------------------------------------------------------------ */

/* How much a message of the logger matters. */
typedef enum abbe_log_level {
    ABBE_LOG_INFO = 1,   /* something was passed over: a software driver, a cache of another driver */
    ABBE_LOG_WARNING = 2 /* something failed, and the library goes on without it: a GPU, the price file */
} abbe_log_level;

/* Receives what the library overcomes, and what would otherwise be silent: an adapter that is passed over, a
 * plan that continues on the CPU after its GPU failed, a cache or price file that is ignored, threads that
 * the system refuses. Errors that functions return are not logged.
 *
 * user    abbe_device_params.log_user.
 * level   INFO or WARNING; later versions may have others.
 * text    One line in English without a final period, valid during the call.
 *
 * Threads: called by the thread that meets the event, which may be one of the library's, and by several at
 * once where several use the device. It must not call the library. */
typedef void (*abbe_logger)(void *user, abbe_log_level level, const char *text);

typedef struct abbe_device_params {
    size_t size; /* sizeof(abbe_device_params); 0: as of version 0.2 */
    /* Optional. Host threads of one run, 1 to 1024; 0 takes every processor. The results of a plan do not
     * depend on it. */
    int threads;
    /* Optional. The folder of the files that the library keeps, at most 3999 bytes: compiled kernels of
     * CUDA, shaders of Vulkan, which it writes when the device is closed, and the price file, which it only
     * reads. NULL: the folders that the environment names (ABBE_CUDA_CACHE, ABBE_VULKAN_CACHE, ABBE_PRICES),
     * or else abbe in $XDG_CACHE_HOME or in ~/.cache; programs with the rights of their owner (setuid) take
     * none from there. "": no file is read or written. Links, pipes, files of other users and files that a
     * group or others may write are not read; nothing is written to a folder of another user, or where a
     * group or others may exchange files. */
    const char *cache_dir;
    abbe_logger log; /* Optional. Valid until the device is closed. */
    void *log_user;  /* Optional. The first argument of log(). */
} abbe_device_params;

/* Opens a device.
 *
 * name     Optional. One of the names below; NULL is "auto".
 * params   Optional. NULL takes the default of every field.
 * device   Receives the device. Close it with abbe_device_close, after its plans.
 *
 *   "auto"         The CPU with a GPU beside it: "cuda" where it opens, otherwise "vulkan". It is opened for
 *                  the first plan whose runs are worth the time that opening takes; abbe_plan_device tells
 *                  where a plan is. When the GPU fails under such a plan, the plan continues on the CPU; only
 *                  a run that abbe_wait waits for fails.
 *   "cpu"          The CPU with the best instruction set of the machine, or the one that the environment
 *                  variable ABBE_CPU names. Every machine has it.
 *   "cpu:LEVEL"    The CPU with one instruction set: plain (portable C), baseline, avx2 or avx512 on x86-64;
 *                  plain or neon on ARM.
 *   "cuda"         The first NVIDIA GPU, which CUDA's driver lists in front of slower ones. "cuda:1" selects
 *                  a GPU by its number, "cuda:NAME" the first whose name contains NAME. It needs the driver
 *                  and NVRTC, and a GPU of compute capability 7.5 or later.
 *   "vulkan"       The best GPU that Vulkan offers. "vulkan:1" selects a GPU by its number, "vulkan:NAME" the
 *                  first whose name or driver contains NAME.
 *   "gl"           A GPU through OpenGL ES. "gl:NAME" selects one; "gl:fast", "gl:fialka" and "gl:moreland"
 *                  select the engine; "gl:f16" stores textures in 16 bits.
 * Software drivers of Vulkan and OpenGL ES are only opened by name.
 *
 * Errors, under NULL: INVALID, UNSUPPORTED (this build has no such device, or the machine lacks the
 * instruction set), MEMORY, DEVICE. */
ABBE_API int abbe_device_open(const char *name, const abbe_device_params *params, abbe_device **device);

/* Closes a device and clears the pointer. All plans of the device must have been destroyed before, except
 * those that abbe_apply keeps. */
ABBE_API void abbe_device_close(abbe_device **device);

/* Returns the kind of a device: "cpu", "cuda", "vulkan" or "gl". "" for NULL. The device owns the text. */
ABBE_API const char *abbe_device_name(const abbe_device *device);

/* Returns a readable description of a device, such as "avx512, 8 threads". "" for NULL. The device owns the
 * text. */
ABBE_API const char *abbe_device_detail(const abbe_device *device);

typedef struct abbe_device_entry {
    const char *name;
    const char *summary; /* one readable line */
} abbe_device_entry;

/* Returns the devices that can be named in this version. Whether one opens on this machine is
 * known after abbe_device_open.
 *
 * count    Optional. Receives the number of entries.
 *
 * Ownership: the library owns the array and the entries. */
ABBE_API const abbe_device_entry *const *abbe_device_catalogue(size_t *count);

/* What an adapter is. The enumerators are 0 to ABBE_ADAPTER_COUNT − 1. */
#define ABBE_ADAPTER_COUNT 6
typedef enum abbe_adapter_kind {
    ABBE_ADAPTER_CPU,        /* the processors, with the library's own code */
    ABBE_ADAPTER_DISCRETE,   /* a GPU with its own memory */
    ABBE_ADAPTER_INTEGRATED, /* a GPU that shares the memory of the processors */
    ABBE_ADAPTER_VIRTUAL,    /* a GPU of a virtual machine */
    ABBE_ADAPTER_SOFTWARE,   /* a driver that computes on the processors */
    ABBE_ADAPTER_UNKNOWN     /* its driver does not say without being opened: adapters of gl */
} abbe_adapter_kind;

/* Something that abbe_device_open can open. Texts that are not known are "". */
typedef struct abbe_adapter {
    const char *name; /* opens it: "cpu", "cuda:0", "vulkan:1", "gl:0" */
    abbe_adapter_kind kind;
    const char *model;          /* such as "NVIDIA H200" */
    uint64_t memory;            /* bytes; 0 where it is not known */
    const char *driver;         /* such as "NVIDIA"; of the CPU its instruction set, such as "avx512" */
    const char *driver_version; /* as the driver writes it, such as "550.54.15" */
    const char *problem;        /* why abbe_device_open refuses it, as far as that is known */
} abbe_adapter;

/* Lists every adapter of this machine, software drivers included, without opening one. Drivers are loaded and
 * asked for their names, which takes some hundredths of a second.
 *
 * adapters   Receives the list, the CPU first. Release it with abbe_device_list_free.
 * count      Receives the number of adapters, at least 1.
 *
 * A device whose driver or loader is missing has no adapters; abbe_device_open tells why.
 * Errors, under NULL: INVALID, MEMORY. */
ABBE_API int abbe_device_list(const abbe_adapter *const **adapters, size_t *count);

/* Releases a list and clears the pointer. */
ABBE_API void abbe_device_list_free(const abbe_adapter *const **adapters);

/* Returns "cpu", "discrete", "integrated", "virtual", "software" or "unknown"; NULL for other values. */
ABBE_API const char *abbe_adapter_kind_name(abbe_adapter_kind kind);

/* ---- Matrices: kernels and masks in memory ------------------------------------------------------------ */

/* `height` rows of `width` numbers. The functions below that fill a matrix allocate `values`; release them
 * with abbe_matrix_free. Functions that only read a matrix also accept one whose values the application
 * owns. Frozen since 0.2. */
typedef struct abbe_matrix {
    int width, height;
    double *values;
} abbe_matrix;

/* Makes a matrix of zeros.
 *
 * width, height   1 to ABBE_KERNEL_SIDE_MAX, and at most 2^26 numbers in all.
 * matrix          Receives the matrix. Release it with abbe_matrix_free.
 *
 * Errors, under NULL: INVALID, SIZE, MEMORY. */
ABBE_API int abbe_matrix_create(int width, int height, abbe_matrix *matrix);

typedef enum abbe_matrix_form {
    ABBE_MATRIX_AUTO, /* VIPS where the lines cannot all be rows, else ROWS; SYNTAX if both fit */
    ABBE_MATRIX_ROWS, /* every line is a row */
    /* The first line is "width height [scale [offset]]" and describes the rows that follow. Their numbers are
     * divided by scale. An offset other than 0 is UNSUPPORTED, because it is meant for results: see
     * abbe_plan_params.offset. libvips correlates: set abbe_plan_params.correlate for the same result. */
    ABBE_MATRIX_VIPS
} abbe_matrix_form;

/* Reads a matrix from text. A line is a row; numbers are separated by spaces, tabs, commas or semicolons; '#'
 * starts a comment; empty lines are skipped; every row must have the same length.
 *
 * text     The text, which need not end in a zero byte.
 * length   Its bytes.
 * form     ABBE_MATRIX_AUTO rejects text with two meanings: "3 2 1", "2 4 2", "1 2 3" may be three rows, or a
 *          header for 3 × 2 numbers. "3 2", "2 4 2", "1 2 3" has one: its first line is too short for a row.
 * matrix   Receives the matrix. Release it with abbe_matrix_free.
 *
 * Errors, under NULL: INVALID, SYNTAX and RANGE (a number that F32 cannot represent; both messages have line
 * and column), UNSUPPORTED, SIZE, MEMORY. */
ABBE_API int abbe_matrix_parse(const char *text, size_t length, abbe_matrix_form form, abbe_matrix *matrix);

/* Returns whether a text that abbe_matrix_parse accepts states a scale, by which its numbers are divided; false
 * for other texts. A loader then returns ABBE_LOADED_SCALED. May record a message under NULL. */
ABBE_API bool abbe_matrix_has_scale(const char *text, size_t length, abbe_matrix_form form);

/* Makes a matrix of the mean of an image's channels.
 *
 * image    The image, which is only read.
 * matrix   Receives the matrix. Release it with abbe_matrix_free.
 *
 * Errors, under NULL: INVALID, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_matrix_from_image(const abbe_image *image, abbe_matrix *matrix);

/* Releases the values of a matrix and clears the struct. Accepts NULL and a matrix of zeros. */
ABBE_API void abbe_matrix_free(abbe_matrix *matrix);

/* ---- Filters ------------------------------------------------------------------------------------------ */

/* Filters are immutable and belong to no device. Any number of plans and threads may use one at once. */

/* What a loader returns for taps that were divided by the scale that their file states: "kernel" takes them as
 * they are, because the scale takes the place of its normalize=1. */
enum { ABBE_LOADED_SCALED = 1 };

/* Loads the matrices that "kernel:file=NAME" and "mask:file=NAME" name. Frozen since 0.2. */
typedef struct abbe_loader {
    /* Fills `matrix` by a function above and returns ABBE_OK, or ABBE_LOADED_SCALED; the library frees the
     * matrix. Returns an error code otherwise, and abbe_filter_parse fails with ABBE_ERR_FILE. Called by the
     * thread that parses. `filter` is the filter that names the file: "kernel", whose matrix holds taps, or
     * "mask", whose matrix holds gains. */
    int (*load)(void *user, const char *filter, const char *name, abbe_matrix *matrix);
    void *user; /* Optional. The first argument of load(). */
} abbe_loader;

/* Makes a filter from text: "name:key=value:key=value,name:…". abbe_filter_catalogue and docs/filters.md list
 * names, keys and ranges. Filters that are separated by commas act one after the other, as in
 * abbe_filter_chain.
 *
 * A text without ':', ',' and '=' outside double quotes consists of words, for hosts that claim these
 * characters: "name key value key value then name …".
 *
 * text     The text, which ends in a zero byte.
 * loader   Optional. Needed where the text names a file.
 * filter   Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, SYNTAX and RANGE (the message has the word, its position and the nearest known
 * name), UNSUPPORTED (a gradient magnitude that is not the last of a chain), FILE, SIZE, MEMORY. */
ABBE_API int abbe_filter_parse(const char *text, const abbe_loader *loader, abbe_filter **filter);

typedef struct abbe_kernel_params {
    size_t size;             /* sizeof(abbe_kernel_params); 0: as of version 0.2 */
    const abbe_matrix *taps; /* Required. Copied. */
    /* Divides by |sum of the taps|, so that a sum below 0 becomes −1; RANGE where the sum is nearly 0. */
    bool normalize;
    const int *centre; /* Optional. Column and row of the centre; NULL: { width / 2, height / 2 }. */
} abbe_kernel_params;

/* Makes a filter from taps. It convolves: out(x,y) = Σ taps(i,j) · in(x − (i − cx), y − (j − cy)), where
 * (cx, cy) is the centre.
 *
 * params   The taps; copied.
 * filter   Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, RANGE, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_filter_from_kernel(const abbe_kernel_params *params, abbe_filter **filter);

typedef struct abbe_separable_params {
    size_t size;          /* sizeof(abbe_separable_params); 0: as of version 0.2 */
    const double *row;    /* Required. `width` taps along x; copied. */
    const double *column; /* Required. `height` taps along y; copied. */
    int width, height;    /* Required. 1 to ABBE_KERNEL_SIDE_MAX. */
    /* Divides by |sum of the taps|, so that a sum below 0 becomes −1; RANGE where the sum is nearly 0. */
    bool normalize;
    const int *centre; /* Optional. Column and row of the centre; NULL: { width / 2, height / 2 }. */
} abbe_separable_params;

/* Makes a filter from the two factors of its taps, taps(i,j) = row[i] · column[j], which it convolves as
 * abbe_filter_from_kernel does. The factors are kept: width + height multiplications per pixel.
 *
 * params   The factors; copied.
 * filter   Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, RANGE (also for a product that F32 cannot represent), SIZE, NONFINITE,
 * MEMORY. */
ABBE_API int abbe_filter_from_separable(const abbe_separable_params *params, abbe_filter **filter);

/* Makes a filter from a mask: real gains over the frequency plane. The zero frequency is at column width / 2,
 * row height / 2; upward frequencies are at the top. At grids of another size the mask is sampled bilinearly.
 * It is averaged with its point reflection, so that results are real.
 *
 * mask     The gains; copied.
 * filter   Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, RANGE, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_filter_from_mask(const abbe_matrix *mask, abbe_filter **filter);

/* Makes a filter from complex gains in the order of a discrete Fourier transform (numpy.fft.fft2): the gain
 * at u/width cycles per pixel along x and v/height along y, downwards, is at index v·width + u. Frequency 0
 * comes first, and indices above the middle are negative frequencies. Where a plan's transform has this size
 * the gains act as they are; at other sizes they are sampled bilinearly. Only the Hermitian part
 * ½(G(f) + G*(−f)) acts, so that results are real.
 *
 * width, height   1 to ABBE_KERNEL_SIDE_MAX, and at most 2^26 gains in all. A picture has transforms of its
 *                 own size with the border WRAP, of twice its size with REFLECT.
 * gains           Interleaved { re, im }; copied.
 * filter          Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, SIZE, NONFINITE, MEMORY. */
ABBE_API int abbe_filter_from_gains(int width, int height, const double *gains, abbe_filter **filter);

/* A transfer function: writes the complex gain { re, im } at the frequency (fx, fy) in cycles per pixel. Both
 * are within ±0.5, and fy points down like y. Only the Hermitian part ½(H(f) + H*(−f)) acts, so that results
 * are real. A gain that F32 cannot represent makes abbe_plan_create fail with NONFINITE.
 * Threads: abbe_plan_create, abbe_filter_gain and abbe_filter_reach call it, from the thread that calls
 * them. */
typedef void (*abbe_transfer)(void *user, double fx, double fy, double gain[2]);

/* Makes a filter from a transfer function.
 *
 * transfer   The function.
 * user       Optional. Its first argument; must stay valid while plans are made from the filter.
 * filter     Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, MEMORY. */
ABBE_API int abbe_filter_from_transfer(abbe_transfer transfer, void *user, abbe_filter **filter);

/* Makes one filter that applies several filters one after the other. The border acts once, on the source.
 *
 * filters   `count` filters; copied. All but the last must be linear: "sobel" with axis=both is not.
 * count     At least 1.
 * filter    Receives the filter. Release it with abbe_filter_destroy.
 *
 * Errors, under NULL: INVALID, UNSUPPORTED (a filter before the last is not linear), RANGE (a tap that F32
 * cannot represent), SIZE, MEMORY. */
ABBE_API int abbe_filter_chain(const abbe_filter *const *filters, size_t count, abbe_filter **filter);

/* Destroys a filter and clears the pointer. Plans made from the filter stay valid. */
ABBE_API void abbe_filter_destroy(abbe_filter **filter);

typedef struct abbe_filter_info {
    int components;    /* linear filters inside: 1, or 2 where the result is their magnitude √(a² + b²) */
    bool in_frequency; /* has a transfer function, and therefore no finite kernel */
    int width, height; /* of the kernel; 1 × 1 for a pure transfer function */
    int centre_x, centre_y;
} abbe_filter_info;

/* Returns the description of a filter, which the filter owns; NULL for NULL. */
ABBE_API const abbe_filter_info *abbe_filter_describe(const abbe_filter *filter);

/* Returns the taps of a filter, as every method uses them.
 *
 * filter      The filter.
 * component   0, or 1 for the second component of a gradient magnitude.
 * taps        Receives the taps. Release them with abbe_matrix_free.
 *
 * Errors, under NULL: INVALID, UNSUPPORTED (the filter is in_frequency), SIZE, MEMORY. */
ABBE_API int abbe_filter_taps(const abbe_filter *filter, int component, abbe_matrix *taps);

/* Returns the complex gain of a filter at one frequency: Σ taps(k) e^(−j2π f·k), with k counted from the
 * centre, times the transfer functions.
 *
 * filter      The filter.
 * component   0, or 1 for the second component of a gradient magnitude.
 * fx, fy      The frequency in cycles per pixel.
 * gain        Receives { re, im }.
 *
 * Errors, under NULL: INVALID. */
ABBE_API int abbe_filter_gain(const abbe_filter *filter, int component, double fx, double fy, double gain[2]);

/* Tells how far a filter looks: the result at (x, y) depends on source pixels from x − left to x + right and
 * from y − up to y + down. For plans that correlate, exchange left with right and up with down.
 *
 * filter                  The filter. For a gradient magnitude the answer covers both components.
 * tolerance               0 to below 1. Kernels ignore it.
 * left, right, up, down   Receive the pixels to each side, at least 0.
 *
 * A kernel's reach is exact: the smallest box that holds the centre and every tap that is not 0. To it is
 * added the effective reach of the transfer functions: the box that holds their impulse response h except for
 * a part outside with Σ|h| at most `tolerance` times the whole. With pixels farther away changed by at most
 * 1, results change by at most tolerance · Σ|taps| · Σ|h|.
 *
 * h is measured on grids of up to 2048 × 2048 frequencies, and its tail beyond the grid is taken to fall at
 * least as 1/distance² along an axis. Responses that do not decay, or not to `tolerance` within 512 pixels,
 * are refused: "streak", the shape "ideal", "power" except with exponent 0, cut-offs near 0. Masks and gains
 * of up to 2048 a side and callers' functions are measured too; features of a caller's function that are
 * narrower than 1/256 cycles per pixel may be missed.
 * Threads: a caller's function is called from the calling thread.
 * Errors, under NULL: INVALID, UNSUPPORTED (the response does not decay to `tolerance`), NONFINITE (a gain is
 * not finite), MEMORY. */
ABBE_API int abbe_filter_reach(const abbe_filter *filter, double tolerance, int *left, int *right, int *up,
                               int *down);

/* What the value of a key is, and how it is written. */
typedef enum abbe_key_type {
    ABBE_KEY_NUMBER = 1,    /* a decimal number: "2.5", "1e-3" */
    ABBE_KEY_INTEGER = 2,   /* a whole number */
    ABBE_KEY_FREQUENCY = 3, /* a fraction of Nyquist, "0.1cpp" (cycles per pixel) or "24px" (period) */
    ABBE_KEY_CHOICE = 4,    /* one of `choices` */
    ABBE_KEY_LIST = 5,      /* decimal numbers separated by '/': "1/2/1" */
    ABBE_KEY_FILE = 6       /* a name for the loader */
} abbe_key_type;

/* One key of a filter. A key with neither `default_text` nor `follows` is required. */
typedef struct abbe_filter_key {
    const char *name;
    const char *summary; /* one readable line */
    abbe_key_type type;
    const char *default_text; /* the default, written as a value; NULL: none */
    /* The key that the default is derived from, as the summary tells: "sigma" for "sigma_x"; NULL: none. */
    const char *follows;
    /* The range of numbers, both ends included; infinite where there is no end. FREQUENCY: fractions of
     * Nyquist. CHOICE and FILE: 0. */
    double min, max;
    const char *unit;           /* "pixels", "degrees", "of Nyquist", …; NULL: none */
    const char *const *choices; /* CHOICE: `choice_count` words; NULL for other types */
    size_t choice_count;
} abbe_filter_key;

typedef struct abbe_filter_entry {
    const char *name;
    const char *summary; /* one readable line */
    bool in_frequency;   /* has a transfer function, see abbe_filter_info */
    const char *rule;    /* a condition between the keys: "low must be below high"; NULL: none */
    const abbe_filter_key *const *keys;
    size_t key_count;
} abbe_filter_entry;

/* Returns the catalogue of named filters, for menus, sliders and completions. abbe_filter_parse reads the
 * same tables. Later versions may append fields to both structs.
 *
 * count    Optional. Receives the number of entries. */
ABBE_API const abbe_filter_entry *const *abbe_filter_catalogue(size_t *count);

/* ---- Plans -------------------------------------------------------------------------------------------- */

/* The enumerators of each of these types are 0 to its count − 1. */
#define ABBE_BORDER_COUNT 6
#define ABBE_METHOD_COUNT 5
#define ABBE_ALPHA_COUNT 3
#define ABBE_NONFINITE_COUNT 3
#define ABBE_PRECISION_COUNT 3
#define ABBE_SCALE_COUNT 2
#define ABBE_WINDOW_COUNT 4

/* What a filter reads outside the picture. */
typedef enum abbe_border {
    ABBE_BORDER_REFLECT,  /* dcba|abcd|dcba, the edge is repeated */
    ABBE_BORDER_MIRROR,   /* dcb|abcd|cba, the edge is not repeated */
    ABBE_BORDER_CLAMP,    /* aaa|abcd|ddd */
    ABBE_BORDER_ZERO,     /* 000|abcd|000 */
    ABBE_BORDER_CONSTANT, /* kkk|abcd|kkk, where k is border_value in every channel */
    ABBE_BORDER_WRAP      /* bcd|abcd|abc */
} abbe_border;

typedef enum abbe_method {
    ABBE_METHOD_AUTO,      /* the planner chooses the fastest */
    ABBE_METHOD_DIRECT,    /* convolution, tap by tap */
    ABBE_METHOD_SEPARABLE, /* rows and columns, once per separable term */
    ABBE_METHOD_FFT,       /* one transform of the whole picture */
    ABBE_METHOD_TILES      /* overlapping tiles (overlap-save), one transform each */
} abbe_method;

typedef enum abbe_alpha {
    ABBE_ALPHA_NONE, /* every channel is filtered alike */
    /* The last channel is straight alpha: colours are multiplied by it before filtering and divided by
     * filtered alpha after. Alpha is filtered with the gain of a constant divided out, so that it stays a
     * coverage and colours keep the gain. A filter that removes constants (laplacian, highpass, sobel, …) has
     * no such gain: it acts on the premultiplied colours, which are not divided after, and alpha is copied
     * from the source. */
    ABBE_ALPHA_PREMULTIPLY,
    ABBE_ALPHA_INDEPENDENT /* the last channel is alpha: filtered like the others, but not sRGB-coded */
} abbe_alpha;

/* What happens to NaN and infinite samples of the source. */
typedef enum abbe_nonfinite {
    ABBE_NONFINITE_ERROR, /* a run fails with ABBE_ERR_NONFINITE and writes nothing */
    ABBE_NONFINITE_ZERO,  /* they are replaced by 0 */
    ABBE_NONFINITE_TRUST  /* the application promises that there are none; they are not searched for */
} abbe_nonfinite;

/* The precision of arithmetic and of intermediate data. */
typedef enum abbe_precision {
    ABBE_PRECISION_FULL, /* F32 */
    /* F32, with F16 between the passes of a transform where that is faster: half of the memory, errors up to
     * 2·10⁻³ relative to the picture (√Σerror² / √Σsample²) times the largest gain of the filter, samples up
     * to about 500. A U8 result is at most one level off, or as many levels as the largest gain where that is
     * above 1. The CPU uses F32. */
    ABBE_PRECISION_HALF,
    /* F64 from load to store, so that F64, I32 and U32 pictures keep their digits: errors up to
     * 10⁻¹⁵ · √log₂(pixels) relative to the picture times the largest gain. Takes 3 to 7 times as long as
     * FULL and twice the memory. The CPU only: "auto" stays on the CPU, and other devices refuse the plan
     * with UNSUPPORTED. */
    ABBE_PRECISION_DOUBLE
} abbe_precision;

/* What integer samples stand for. F16, F32 and F64 stand for themselves in both. */
typedef enum abbe_scale {
    ABBE_SCALE_UNIT, /* fractions of their largest value: U8 255 is 1 */
    /* Themselves: U8 255 is 255, for border_value, offset and results of another type, too. With alpha or
     * linear_light both types must be equal. */
    ABBE_SCALE_VALUE
} abbe_scale;

/* The pixels that results cover. Filters read `left` pixels to the left of a result, `right` to its right,
 * and so on; for a bank the largest of each counts. Of a kernel these are its sides around the centre: left
 * is width − 1 − centre_x, right is centre_x; the other way round where the plan correlates. Of transfer
 * functions they are the reach of abbe_filter_reach for the tolerance 10⁻⁴; where it refuses, FULL, VALID
 * and rectangles beyond the picture are UNSUPPORTED. */
typedef enum abbe_window {
    ABBE_WINDOW_SAME, /* the pixels of the source */
    /* Everything that depends on a pixel of the source: width + left + right by height + up + down pixels,
     * from (−right, −down) on. */
    ABBE_WINDOW_FULL,
    /* What depends on pixels of the source only: width − left − right by height − up − down pixels, from
     * (left, up) on. INVALID where nothing remains. */
    ABBE_WINDOW_VALID,
    /* Any rectangle, also outside the picture. Within it, results are those of SAME; transfer functions then
     * act on the whole picture, which takes the time and memory of SAME. */
    ABBE_WINDOW_RECTANGLE
} abbe_window;

/* Return the name of an enumerator as the command line spells it: "u8", "u16", …; "reflect", "mirror", …;
 * "auto", "direct", …; "none", "premultiply", …; "error", "zero", …; "full", "half", "double"; "unit",
 * "value"; "same", "full", …. NULL for other values, so that a program can list the names of a newer library
 * than it was compiled for. */
ABBE_API const char *abbe_type_name(abbe_type type);
ABBE_API const char *abbe_border_name(abbe_border border);
ABBE_API const char *abbe_method_name(abbe_method method);
ABBE_API const char *abbe_alpha_name(abbe_alpha alpha);
ABBE_API const char *abbe_nonfinite_name(abbe_nonfinite nonfinite);
ABBE_API const char *abbe_precision_name(abbe_precision precision);
ABBE_API const char *abbe_scale_name(abbe_scale scale);
ABBE_API const char *abbe_window_name(abbe_window window);

/* Find the enumerator of a name.
 *
 * name     The name, in lower case.
 * others   Receives the enumerator.
 *
 * Errors, under NULL: INVALID (the message has the nearest name, or all names). */
ABBE_API int abbe_type_from_name(const char *name, abbe_type *type);
ABBE_API int abbe_border_from_name(const char *name, abbe_border *border);
ABBE_API int abbe_method_from_name(const char *name, abbe_method *method);
ABBE_API int abbe_alpha_from_name(const char *name, abbe_alpha *alpha);
ABBE_API int abbe_nonfinite_from_name(const char *name, abbe_nonfinite *nonfinite);
ABBE_API int abbe_precision_from_name(const char *name, abbe_precision *precision);
ABBE_API int abbe_scale_from_name(const char *name, abbe_scale *scale);
ABBE_API int abbe_window_from_name(const char *name, abbe_window *window);

/* Width, height, channels, source_type, filters and filter_count are required. In every other field 0 is the
 * default. */
typedef struct abbe_plan_params {
    size_t size;           /* sizeof(abbe_plan_params); 0: as of version 0.2 */
    int width, height;     /* Required. Of the source, and of results unless `window` says otherwise. */
    int channels;          /* Required. 1 to ABBE_CHANNELS_MAX. */
    abbe_type source_type; /* Required. */
    abbe_type result_type; /* 0: the source's */
    /* Required. The bank: `filter_count` filters, 1 to 1024, which share one forward transform. Each makes
     * one result. */
    const abbe_filter *const *filters;
    size_t filter_count;
    abbe_border border;
    double border_value; /* for CONSTANT: the sample outside, before alpha and sRGB decoding */
    abbe_method method;
    int tile_width, tile_height; /* for TILES: pixels that a tile yields at least; 0: automatic */
    abbe_alpha alpha;            /* other than NONE needs 2 channels or more */
    abbe_nonfinite nonfinite;
    /* Added to results, except alpha, as they are stored: 0.5 shows high passes in U8. With an offset, U8
     * results are rounded from 0.494 levels up, so that 127.5 is always 128 and flat areas stay flat. */
    double offset;
    bool linear_light; /* samples are sRGB-coded: they are decoded before filtering and encoded after */
    bool correlate;    /* correlates: kernels are not flipped, spectra are conjugated */
    abbe_precision precision;
    abbe_scale scale;
    int runs; /* expected runs; 0: one. "auto" weighs them against the start of a GPU. */
    abbe_window window;
    int result_x, result_y; /* for RECTANGLE: its corner in the source, −ABBE_SIDE_MAX to ABBE_SIDE_MAX */
    int result_width, result_height; /* for RECTANGLE: 1 to ABBE_SIDE_MAX; for other windows 0 */
} abbe_plan_params;

/* Makes a plan: chooses a method for a shape, a border and a bank, and prepares everything that does not
 * depend on pixels.
 *
 * device   The device, which must outlive the plan.
 * params   What the plan does. The plan keeps no reference to it or to the filters.
 * plan     Receives the plan. Release it with abbe_plan_destroy.
 *
 * One method serves the whole bank: where one filter has a transfer function, all use the Fourier plane.
 * Transfer functions act on the picture itself with WRAP, on its exact even extension with REFLECT and
 * MIRROR, and with the other borders on the picture extended by the effective radius of the longest response
 * in the bank. Beyond that radius lies at most 10⁻⁴ of the absolute sum of the impulse response, its centre
 * not counted. Where a response does not decay to that within 768 pixels, the radius is the longer side of
 * the picture. A radius may be longer than a small picture: 234 pixels for "lowpass:cutoff=0.02". It is
 * measured as by abbe_filter_reach, also what is said there of callers' functions holds; that takes up to 80
 * MiB for a moment.
 *
 * Except with precision DOUBLE, arithmetic is that of floats, and magnitudes below 10⁻³⁸ count as 0. Products
 * of samples, gains and taps lose digits there: pictures whose largest values are below about 10⁻²⁸ do not
 * keep the error bound. Scale such data first.
 *
 * Threads: a plan is immutable, except for abbe_plan_replace and abbe_plan_repaint; any number of threads may
 * run it at once.
 * Errors: INVALID, SIZE, NONFINITE (border_value, offset or a gain), UNSUPPORTED (the method cannot do these
 * filters, or the device this precision), MEMORY (also where no method fits the memory of the device),
 * DEVICE. */
ABBE_API int abbe_plan_create(abbe_device *device, const abbe_plan_params *params, abbe_plan **plan);

/* Destroys a plan and clears the pointer. Its runs must have ended, and its tickets must have been waited
 * for; see "Lifetimes" above. */
ABBE_API void abbe_plan_destroy(abbe_plan **plan);

/* Puts another bank in the place of a plan's filters, for filters that follow a hand. Method and transform
 * stay those that were chosen for the first bank, so nothing is priced or chosen, and only what depends on
 * the filters is made anew: their spectra, or their taps. abbe_plan_explain goes on to tell about the first
 * bank.
 *
 * plan      The plan.
 * filters   `count` filters, as many as the plan has, each with as many components as the one that it
 *           replaces. The plan keeps no reference to them.
 *
 * With the method FFT, the borders WRAP, REFLECT and MIRROR suit almost every filter; other borders suit
 * kernels that read no farther than those before. Where filters do not suit the plan it is UNSUPPORTED, and
 * another plan is needed.
 * After a failure the plan is as it was.
 * Threads: unlike other functions, this changes the plan. No other call may use it meanwhile, and no run or
 * ticket of it may be under way; see "Lifetimes" above.
 * Errors: those of abbe_plan_create; UNSUPPORTED also for plans with a window, and for those that `auto` has
 * put on its GPU. */
ABBE_API int abbe_plan_replace(abbe_plan *plan, const abbe_filter *const *filters, size_t count);

/* Puts other gains into a rectangle of a plan's painted mask, for a brush. Only the columns of H that the
 * rectangle touches are sampled again, once for both points of each frequency.
 *
 * plan     The plan.
 * filter   The index of a filter of its bank that has one mask of abbe_filter_from_mask, alone or in a chain.
 * gains    The new gains. The plan keeps no reference to them.
 * x, y     The column and row of the mask that the first of them replaces. The opposite frequencies get the
 *          same gains; what lies opposite within the rectangle becomes the mean, as in abbe_filter_from_mask.
 *
 * It is UNSUPPORTED where abbe_plan_replace or another plan is needed: on other devices than the CPU, on
 * "cpu:plain" and with ABBE_PRECISION_DOUBLE; with other methods than FFT, and for a few lengths of
 * transforms; with other borders than WRAP, REFLECT and MIRROR, whose transforms hold only as much of the
 * border as the first gains needed; where the gain at frequency 0 would change; where the mask of the plan
 * was the same in opposite rows, because spectra of such masks are stored otherwise; where the filter has
 * several components, several masks, or a function of the application, which is called only while plans are
 * made; on pictures from 2^22 pixels on, also where products of gains and taps could exceed the range of
 * F32; and for plans with a window and those that `auto` has put on its GPU. After a failure the plan is as
 * it was.
 * Threads: as for abbe_plan_replace.
 * Errors: INVALID (a NULL argument, a draft, an index or a rectangle out of range), SIZE and NONFINITE
 * (gains), UNSUPPORTED, MEMORY, DEVICE (a plan of a GPU in a child of fork()). */
ABBE_API int abbe_plan_repaint(abbe_plan *plan, size_t filter, const abbe_matrix *gains, int x, int y);

/* Returns the device that a plan runs on, for abbe_device_name and abbe_device_detail: the device it was made
 * with, or the GPU of "auto". It may change when a GPU fails. NULL for NULL. The library owns the device; do
 * not close it. */
ABBE_API const abbe_device *abbe_plan_device(const abbe_plan *plan);

/* Returns why "auto" put a plan on its device, in one readable line; "" for other devices and for NULL. The
 * plan owns the text. */
ABBE_API const char *abbe_plan_reason(const abbe_plan *plan);

/* Tells the size of a plan's results, and where they lie.
 *
 * plan            The plan.
 * width, height   Optional. Receive the pixels of every result.
 * x, y            Optional. Receive the coordinates, in the source, of a result's first pixel: 0 for SAME.
 *
 * Errors, under NULL: INVALID. */
ABBE_API int abbe_plan_result_size(const abbe_plan *plan, int *width, int *height, int *x, int *y);

/* A method that the planner considered. */
typedef struct abbe_candidate {
    abbe_method method;
    bool possible; /* otherwise `reason` explains why not, and the other figures but `even` are 0 */
    bool chosen;
    double seconds;              /* predicted time of one run */
    size_t bytes;                /* scratch memory of one run */
    int fft_width, fft_height;   /* size of the transform; 0 for DIRECT and SEPARABLE */
    int tile_width, tile_height; /* pixels that one transform yields; 0 for DIRECT and SEPARABLE */
    int passes;                  /* SEPARABLE: the sum of the ranks; 0 for others */
    const char *reason;
    bool even; /* FFT: even transforms of the picture alone, which reflect it as the border does */
    /* Predicted time of sampling the spectra, once for the plan; 0 for DIRECT and SEPARABLE. */
    double planning;
} abbe_candidate;

/* Lists every method with its predicted time, and the choice. FFT is listed twice, the cheaper first, where `even`
 * transforms compete with those of a larger grid. Times are for the threads of the device. The
 * choice is the cheapest for one thread and for every processor taken together, so that no result depends on
 * the number of threads.
 *
 * plan     The plan. NULL has no candidates: the function returns NULL.
 * count    Optional. Receives the number of candidates.
 *
 * Ownership: the plan owns the array and the candidates. */
ABBE_API const abbe_candidate *const *abbe_plan_explain(const abbe_plan *plan, size_t *count);

/* Returns the candidate that was chosen. The plan owns it; NULL for NULL. */
ABBE_API const abbe_candidate *abbe_plan_choice(const abbe_plan *plan);

/* Returns the bytes that a plan takes at most, on its device and on the host together: tables, spectra, and the
 * scratch of one run, which it may keep for the next. Runs at once take their own. Programs that keep plans
 * can bound them by the sum. It may grow when a GPU fails. 0 for NULL. */
ABBE_API size_t abbe_plan_memory(const abbe_plan *plan);

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Filters an image and returns when the results are written.
 *
 * plan      The plan.
 * source    A view of the plan's shape and source type. It is only read.
 * results   One view per filter of the bank, of the plan's result type and of the size that
 *           abbe_plan_result_size tells: the source's, unless the plan has a window.
 *
 * Integer results are rounded and saturated; F16 results are saturated to ±65504.
 * Aliasing: a result may be the source itself (same data, stride and type). Any other overlap among the views
 * is INVALID. Nothing is written outside the views.
 * After a failure: a source that is its own result is unchanged. The CPU has written nothing, unless the run
 * was cancelled. A GPU may have written some results, or parts of a picture larger than its memory.
 * Memory: the scratch is at most abbe_candidate.bytes, plus a copy of the source and of the views for a run
 * in place with another method than FFT, or of a bank on the device gl. The plan may keep its scratch for
 * later runs, until it is destroyed.
 * Threads: many threads may run one plan at once, on different results.
 * Errors: INVALID, NONFINITE, MEMORY, DEVICE. */
ABBE_API int abbe_run(const abbe_plan *plan, const abbe_image *source, const abbe_image *results);

/* What abbe_run_watched reports during a run. */
typedef struct abbe_watch {
    size_t size; /* sizeof(abbe_watch); 0: as of version 0.2 */
    /* Optional. Called repeatedly, by the thread that runs the plan; must not call the library. `done` rises
     * from 0 to 1, and starts again when a GPU fails and the CPU takes over. Returns 0 to go on. Any other
     * number stops the run, which returns ABBE_ERR_CANCELLED; progress is not called again. */
    int (*progress)(void *user, double done);
    void *user; /* Optional. The first argument of progress(). */
} abbe_watch;

/* abbe_run with progress, that can be stopped. <abbe/measure.h> has the times of a run's passes.
 *
 * plan, source, results   As for abbe_run.
 * watch                   Optional. Read once.
 *
 * Stopping: on the CPU, progress is called at least every 50 ms of work, and a stopped run returns as soon;
 * sides above 100,000 pixels, and kernels of more than 30,000 taps by the direct method, may take longer. A
 * run in place ends with a copy, and one with a window begins and ends with one, during which it cannot be
 * stopped. A GPU finishes what it was given, at most
 * one region of the picture. After ABBE_ERR_CANCELLED a source that is its own result is unchanged, the
 * pixels of other results are undefined, and the plan is as good as before.
 * Memory: as for abbe_run; with progress, the CPU also needs a copy of the source for a run in place by FFT.
 * Aliasing and threads: as for abbe_run.
 * Errors: those of abbe_run, and CANCELLED. */
ABBE_API int abbe_run_watched(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                              const abbe_watch *watch);

/* Submits a run and returns; abbe_wait ends it. Meanwhile the application may submit other runs, of this plan
 * or of others, so that a GPU transfers data for one while it computes another: two or three at a time keep
 * it busy.
 *
 * plan      The plan, which must not be destroyed before abbe_wait has returned.
 * source    As for abbe_run. It has been read when abbe_submit returns, and may be changed.
 * results   As for abbe_run. The pixels must stay valid and must not be read or written until abbe_wait has
 *           returned. The array of views is copied.
 * ticket    Receives the ticket for abbe_wait.
 *
 * The CPU, the device gl, and a GPU whose memory does not hold the whole picture run at once, inside
 * abbe_submit.
 * Memory: every submitted run has its own scratch of abbe_candidate.bytes, which the plan keeps for later
 * runs.
 * Aliasing and threads: as for abbe_run.
 * Errors: as for abbe_run. There is no ticket then, and nothing has been written. */
ABBE_API int abbe_submit(const abbe_plan *plan, const abbe_image *source, const abbe_image *results,
                         abbe_ticket **ticket);

/* Waits until a submitted run has written its results, and clears the ticket, also after a failure.
 *
 * ticket   Optional. NULL and a cleared ticket are ABBE_OK.
 *
 * Threads: tickets may be waited for in any order and by any thread, each once.
 * Errors, under the plan's device: MEMORY, DEVICE; nothing has been written then. A device that its driver
 * lost is one of them; later runs open it again. */
ABBE_API int abbe_wait(abbe_ticket **ticket);

/* ---- One call ----------------------------------------------------------------------------------------- */

/* Filters an image by a text: abbe_filter_parse, abbe_plan_create and abbe_run in one call, which keeps the
 * plan for the next call with the same filter, border, shape and types.
 *
 * device   Optional. NULL is "auto", opened by the first such call and shared by all.
 * filter   The text of the filter; see abbe_filter_parse. Filters that name files are refused.
 * border   What the filter reads outside the picture; CONSTANT is 0.
 * source   The image, which is only read.
 * result   A view of the same width, height and channels, of any type.
 *
 * The plan is that of one expected run, and has the default of every other field of abbe_plan_params.
 * Aliasing, threads and what a failure leaves: as for abbe_run.
 * Memory: a device keeps the 16 plans that were used last, and their scratch, as long as all of them take at
 * most a gigabyte, or a quarter of the device's memory where that is less. They are released with the
 * device, by abbe_apply_clear, at the end of the program, and when memory is short for another call.
 * Time: a call that finds its plan takes less than 10 microseconds more than abbe_run.
 * Errors, under the device, or under NULL: those of abbe_device_open, abbe_filter_parse, abbe_plan_create and
 * abbe_run; FILE for a filter that names a file. */
ABBE_API int abbe_apply(abbe_device *device, const char *filter, abbe_border border, const abbe_image *source,
                        const abbe_image *result);

/* Releases the plans that abbe_apply keeps.
 *
 * device   Optional. The device whose plans are released. NULL releases those of calls without a device, and
 *          closes the device that these share with spectra; the next such call opens it again.
 *
 * Threads: may be called at any time. What another thread uses at the moment is released after its use,
 * except the shared device, which then stays open. */
ABBE_API void abbe_apply_clear(abbe_device *device);

/* Filters a stack of pictures of the plan's shape and returns when all results are written.
 *
 * plan      The plan.
 * count     Pictures; 0 does nothing.
 * sources   `count` views.
 * results   `count` times as many views as the bank has filters: those of the first picture, then those of
 *           the second, …
 * watch     Optional. As for abbe_run_watched, for all pictures together.
 *
 * A GPU transfers data for one picture while it computes another. On the CPU the threads of the device filter
 * small pictures side by side, one thread each, which is faster than one after the other with all threads.
 * Results are those of abbe_run.
 * Aliasing: as for abbe_run within a picture. Results must not overlap the views of other pictures, which is
 * not checked.
 * Memory: the scratch of abbe_run for each picture under way: one per thread of the device for pictures of up
 * to 2²¹ samples on the CPU, one for larger ones and for fewer pictures than threads, three on a GPU.
 * After a failure: all views are checked before the first picture is filtered. A picture that fails ends the
 * batch; others may have been written before.
 * Errors: as for abbe_run and abbe_wait; the message has the number of the picture, counted from 1. */
ABBE_API int abbe_run_batch(const abbe_plan *plan, size_t count, const abbe_image *sources,
                            const abbe_image *results, const abbe_watch *watch);

/* ---- Streams ------------------------------------------------------------------------------------------ */

/* A picture that is read and written in parts. Plan, read and write are required. */
typedef struct abbe_stream_params {
    size_t size; /* sizeof(abbe_stream_params); 0: as of version 0.2 */
    /* Required. The whole picture: its size, types, filters, border, window, …; `runs` is ignored. */
    const abbe_plan_params *plan;
    /* Required. Fills the view with pixels of the source, from (x, y) on. All of them lie in the source; the
     * view's width and height say how many they are, its type is source_type. Returns 0, or another number to
     * stop. */
    int (*read)(void *user, int x, int y, const abbe_image *to);
    /* Required. Takes pixels of a result (0 for the first filter of the bank), from (x, y) of the result on.
     * Returns 0, or another number to stop. */
    int (*write)(void *user, int result, int x, int y, const abbe_image *from);
    void *user;    /* Optional. The first argument of read() and write(). */
    size_t memory; /* bytes that the stream may take; 0: 256 MiB */
} abbe_stream_params;

/* Filters a picture that need not fit into memory: reads it by a callback, part by part, and hands the
 * results to another.
 *
 * device   The device.
 * params   The picture, the filters and the callbacks.
 * watch    Optional. As for abbe_run_watched, for the whole stream.
 *
 * Parts are strips of the full width, as high as the memory allows, or tiles where a strip would be lower
 * than what the filters read above and below it. The border is handled by the library: read() never sees a
 * coordinate outside the picture.
 * Order: results are written from top to bottom and from left to right, every pixel once; of a bank, each
 * part for one filter after the other. With strips, read() is called for rows from top to bottom, each once,
 * except that borders read some rows near the edges again (REFLECT, MIRROR, WRAP), WRAP those of the other
 * edge. Tiles read the pixels that they share again.
 * Results are those of abbe_run: the same bytes with the methods DIRECT and SEPARABLE, unless a kernel is
 * larger than the picture or the source's type cannot hold border_value. FFT and TILES transform each part on
 * a grid of its own, and subtract the level of the part before (docs/maths.md), so that other roundings add
 * up than in the whole: floats differ within the error bound, integers by one level and only where the exact
 * result lies within that bound of the middle of two levels. With ABBE_PRECISION_DOUBLE that bound is so
 * small, 10⁻⁹ of a level of U16, that such integers are the same unless the exact result is a tie. Parts, and
 * with them these roundings, depend on `memory` and on the threads of the device, but not on the time.
 * The method AUTO may choose another method for parts than for the whole. Transfer functions act on
 * parts with their reach around them (see abbe_window): with samples of 0 to 1 results differ by up to 10⁻⁴ ·
 * Σ|h|. Those that abbe_filter_reach refuses are UNSUPPORTED.
 * Memory: `memory` bounds everything that the stream allocates on the host and on the device while it runs,
 * with the pictures that the callbacks see, except a few kilobytes and copies of the kernels. Before, the
 * reach of transfer functions takes up to 80 MiB for a moment. "auto" opens no GPU for a stream that has less
 * memory than a driver takes (64 MB beside the pictures of a part).
 * Threads: the callbacks are called by the calling thread, and must not use the views after they return. They
 * may call the library. GPUs filter one part while the next is read.
 * After a failure some results have been written.
 * Errors: as for abbe_plan_create and abbe_run; FILE (a callback did not return 0), MEMORY (also where
 * `memory` is too little for the smallest part), CANCELLED. */
ABBE_API int abbe_stream(abbe_device *device, const abbe_stream_params *params, const abbe_watch *watch);

/* ---- Spectra ------------------------------------------------------------------------------------------ */

/* Spectra are computed by the CPU. Their device is "cpu" or "auto", which transform with the threads, the
 * instruction set and the speed of their filters; NULL takes every processor. GPU devices are refused with
 * UNSUPPORTED. Sizes with large prime factors take up to three times as long as their neighbours. A device
 * may keep the memory of the last transform for the next one, until it is closed. NULL shares its device
 * with abbe_apply: abbe_apply_clear(NULL) closes it. */

/* Transforms an array of width × height complex samples. Any size is possible; height 1 is a 1-D transform.
 * The order is natural: sample (u, v) is at index v·width + u, and frequency 0 comes first.
 *
 * cpu             Optional. A device "cpu" or "auto".
 * width, height   1 to ABBE_SIDE_MAX.
 * in, out         Interleaved { re, im }.
 *
 * Scaling: forward divides by width · height, inverse does not; one after the other gives the input.
 * Aliasing: in and out may be the same array, and must not overlap otherwise.
 * A sample that is not finite spreads over the whole result.
 * Errors, under the device, or under NULL: INVALID, UNSUPPORTED, SIZE, MEMORY. */
ABBE_API int abbe_fft_forward(abbe_device *cpu, int width, int height, const float *in, float *out);
ABBE_API int abbe_fft_inverse(abbe_device *cpu, int width, int height, const float *in, float *out);

/* Transform an image to its packed spectrum and back. The packed spectrum (Moreland & Angel 2003, eq. 9 and
 * 10, extended to odd sizes; docs/maths.md) of a real width × height picture is width × height real numbers
 * per channel, interleaved like the picture. It loses nothing except by rounding.
 *
 * cpu              Optional. A device "cpu" or "auto".
 * source, result   The picture, of any type. The source is only read.
 * packed           A view of type F32 and of the picture's width, height and channels.
 *
 * Scaling: as for abbe_fft_forward and abbe_fft_inverse.
 * Aliasing: both views may be the same, and must not overlap otherwise.
 * Errors, under the device, or under NULL: INVALID, UNSUPPORTED, NONFINITE, SIZE, MEMORY; nothing has been
 * written then. */
ABBE_API int abbe_spectrum_forward(abbe_device *cpu, const abbe_image *source, const abbe_image *packed);
ABBE_API int abbe_spectrum_inverse(abbe_device *cpu, const abbe_image *packed, const abbe_image *result);

/* Reads one frequency of a packed spectrum.
 *
 * packed    A view of type F32.
 * channel   0 to channels − 1.
 * u, v      0 to width − 1, 0 to height − 1.
 * value     Receives F(u, v) as { re, im }.
 *
 * Errors, under NULL: INVALID, SIZE. */
ABBE_API int abbe_spectrum_at(const abbe_image *packed, int channel, int u, int v, float value[2]);

/* Multiplies two packed spectra frequency by frequency (the multiply program of Moreland & Angel 2003).
 *
 * a, b     Views of type F32 and of the same width and height. b has as many channels as a, or 1, which
 *          serves all.
 * result   A view of type F32 and of the shape of a.
 *
 * Scaling: the inverse transform of the result is the circular convolution divided by width · height.
 * Aliasing: result may be a or b, and must not overlap them otherwise.
 * Errors, under NULL: INVALID, SIZE. */
ABBE_API int abbe_spectrum_multiply(const abbe_image *a, const abbe_image *b, const abbe_image *result);

/* Convert a complex spectrum of a real picture to a packed one and back.
 *
 * width, height   1 to ABBE_SIDE_MAX.
 * spectrum        width · height samples, interleaved { re, im }, as abbe_fft_forward writes them. Packing
 *                 reads one frequency of every conjugate pair; unpacking writes all.
 * packed          width · height numbers.
 *
 * Aliasing: the arrays must not overlap.
 * Errors, under NULL: INVALID, SIZE. */
ABBE_API int abbe_spectrum_pack(int width, int height, const float *spectrum, float *packed);
ABBE_API int abbe_spectrum_unpack(int width, int height, const float *packed, float *spectrum);

/* ---- Peaks: the periodic components of a picture --------------------------------------------------------- */

/* A periodic component of a picture, amplitude · cos(π(x·column + y·row) + phase). */
typedef struct abbe_peak {
    /* The frequency in fractions of Nyquist, as the filter `notch` takes it; y points down. Of the two
     * frequencies of every component the list has the one with x > 0, or x = 0 and y > 0. x is 0 to 1, y is
     * −1 to 1. */
    double x, y;
    double amplitude;  /* in the unit of samples, integers as fractions; root mean square of the channels */
    double prominence; /* how many times stronger than the frequencies around it */
    double radius;     /* for `notch`: removes the component and its modulation by the picture */
    /* 1, or n where a stronger peak of the list is the fundamental and has one n-th of the frequency; 2 to 8.
     * Above Nyquist a harmonic appears at the frequency that the sampling of the picture gives it. */
    int harmonic;
    size_t fundamental; /* the index of the fundamental in the list; the peak's own where harmonic is 1 */
} abbe_peak;

typedef struct abbe_peak_params {
    size_t size; /* sizeof(abbe_peak_params); 0: as of version 0.2 */
    int most;    /* the longest list, at most 1024; 0: 64. The strongest peaks are kept. */
    /* The least prominence, 2 to 10⁶; 0: 7, which random noise does not reach. */
    double prominence;
} abbe_peak_params;

/* Finds the strongest periodic components of a picture: the screen of a print, moiré, mains hum, weaves.
 *
 * cpu       As for abbe_fft_forward.
 * picture   The picture without alpha (a view of 3 channels with the pixel stride of 4). Only read. All
 *           channels count.
 * params    Optional. NULL takes the default of every field.
 * peaks     Receives the list, the largest amplitude first. Release it with abbe_peaks_free.
 * count     Receives the number of peaks; it is often 0.
 *
 * A peak is a local maximum of the amplitude that exceeds its surroundings in every direction by the
 * prominence (docs/maths.md). It has at least 8 cycles across the picture (40 where a side is below 16
 * pixels), and at least 5·10⁻⁵ of the strongest amplitude of the picture at any frequency except 0, and half
 * a step of an integer type. Less than 4 cycles across the picture from a stronger peak, or under its notch,
 * there is none. The frequency of a component on the noise of a photograph is exact to about a tenth of a
 * cycle across the picture.
 * Borders: the picture fades out towards its edges before it is transformed, so that their difference is no
 * component.
 * Memory: 19 to 24 bytes per pixel, of which `cpu` keeps about 10 for the next transform; up to 180 for
 * pictures of one row or column.
 * Errors, under the device, or under NULL: those of abbe_fft_forward, NONFINITE, RANGE (prominence). */
ABBE_API int abbe_peaks_find(abbe_device *cpu, const abbe_image *picture, const abbe_peak_params *params,
                             const abbe_peak *const **peaks, size_t *count);

/* Releases a list and clears the pointer. */
ABBE_API void abbe_peaks_free(const abbe_peak *const **peaks);

#ifdef __cplusplus
}
#endif

#endif
