/* Filters a PGM or PPM file of any size through abbe_stream, within a bound of memory.
 *
 *     big_picture SOURCE RESULT FILTER [MEGABYTES [DEVICE]]
 *
 * The files are binary (P5, P6) with 8 bits per sample. RESULT must be another file than SOURCE. */
#include <abbe/abbe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct files {
    int source, result;
    int width, height, channels;
    off_t header; /* bytes in front of the pixels, in both files */
};

static int complain(const char *what, const char *reason)
{
    fprintf(stderr, "big_picture: %s: %s\n", what, reason);
    return 1;
}

/* The place of a pixel in a file. */
static off_t offset_of(const struct files *files, int x, int y)
{
    return files->header + ((off_t)y * files->width + x) * files->channels;
}

/* abbe_stream_params.read */
static int read_pixels(void *user, int x, int y, const abbe_image *to)
{
    const struct files *files = user;
    size_t bytes = (size_t)to->width * (size_t)to->channels;
    for (int row = 0; row < to->height; row++) {
        char *pixels = (char *)to->data + row * to->stride;
        if (pread(files->source, pixels, bytes, offset_of(files, x, y + row)) != (ssize_t)bytes)
            return -1; /* the file is too short, or cannot be read */
    }
    return 0;
}

/* abbe_stream_params.write */
static int write_pixels(void *user, int result, int x, int y, const abbe_image *from)
{
    const struct files *files = user;
    size_t bytes = (size_t)from->width * (size_t)from->channels;
    (void)result;
    for (int row = 0; row < from->height; row++) {
        const char *pixels = (const char *)from->data + row * from->stride;
        if (pwrite(files->result, pixels, bytes, offset_of(files, x, y + row)) != (ssize_t)bytes)
            return -1;
    }
    return 0;
}

/* Reads the header, and opens the result with the same one. */
static int open_files(const char *source, const char *result, struct files *files)
{
    char header[256] = "";
    int levels = 0, length = 0;
    files->source = open(source, O_RDONLY);
    if (files->source < 0 || pread(files->source, header, sizeof header - 1, 0) < 1)
        return complain(source, "cannot be read");
    char kind = header[0] == 'P' ? header[1] : '\0';
    files->channels = kind == '6' ? 3 : 1;
    if ((kind != '5' && kind != '6') ||
        sscanf(header + 2, "%d %d %d%n", &files->width, &files->height, &levels, &length) != 3 ||
        levels != 255)
        return complain(source, "is not a PGM or PPM file with 8 bits and no comments");
    files->header = 2 + length + 1;
    struct stat one, other;
    if (!stat(result, &other) && !fstat(files->source, &one) && one.st_ino == other.st_ino &&
        one.st_dev == other.st_dev)
        return complain(result, "is the source");
    files->result = open(result, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (files->result < 0 || pwrite(files->result, header, (size_t)files->header, 0) != files->header)
        return complain(result, "cannot be written");
    return 0;
}

static int show_progress(void *user, double done)
{
    int *percent = user;
    if ((int)(100 * done) > *percent)
        fprintf(stderr, "\r%3d %%", *percent = (int)(100 * done));
    return 0; /* go on */
}

static int filter_files(struct files *files, const char *text, size_t memory, const char *name)
{
    abbe_filter *filter = NULL;
    abbe_device *device = NULL;
    int percent = -1, error = abbe_filter_parse(text, NULL, &filter);
    if (!error)
        error = abbe_device_open(name, NULL, &device);
    if (!error)
        error = abbe_stream(
            device,
            &(abbe_stream_params){
                .plan = &(abbe_plan_params){ .width = files->width,
                                             .height = files->height,
                                             .channels = files->channels,
                                             .source_type = ABBE_U8,
                                             .filters = (const abbe_filter *const[]){ filter },
                                             .filter_count = 1 },
                .read = read_pixels,
                .write = write_pixels,
                .user = files,
                .memory = memory },
            &(abbe_watch){ .progress = show_progress, .user = &percent });
    fprintf(stderr, "\n");
    if (error)
        complain(text, abbe_last_error());
    abbe_device_close(&device);
    abbe_filter_destroy(&filter);
    return error ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 6)
        return complain("usage", "big_picture SOURCE RESULT FILTER [MEGABYTES [DEVICE]]");
    struct files files = { -1, -1, 0, 0, 0, 0 };
    size_t megabytes = argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 0;
    int status = open_files(argv[1], argv[2], &files);
    if (!status)
        status = filter_files(&files, argv[3], megabytes << 20, argc > 5 ? argv[5] : "auto");
    if (files.source >= 0)
        close(files.source);
    if (files.result >= 0 && close(files.result))
        status = complain(argv[2], "cannot be written");
    return status;
}
