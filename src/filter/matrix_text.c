/* Matrices from text: a line is a row; the first may be a vips header, "width height [scale [offset]]". */
#include "core/error.h"
#include "core/text.h"
#include "filter/kernel.h"
#include "filter/matrix.h"
#include "core/number.h"

#include <math.h>
#include <stdbool.h>

enum { HEADER_MAX = 4 };

struct reader {
    const char *text;
    size_t length, at;
    long line;         /* from 1 */
    size_t line_start; /* where it begins */
};

enum found { FOUND_NUMBER, FOUND_LINE_END, FOUND_TEXT_END };

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static bool ends_word(char c)
{
    return is_separator(c) || c == '\n' || c == '#';
}

/* Points at the word that stands where a number should. */
static int fail_here(const struct reader *reader, const char *complaint)
{
    size_t end = reader->at;
    while (end < reader->length && !ends_word(reader->text[end]))
        end++;
    return core_fail(NULL, ABBE_ERR_SYNTAX, "line %ld, column %zu: '%s' %s", reader->line,
                     reader->at - reader->line_start + 1,
                     text_show(reader->text + reader->at, end - reader->at).text, complaint);
}

/* Skips separators and comments; a comment may hold any text, but no control characters. Between two commas or
 * semicolons a number is missing. */
static int skip_blank(struct reader *reader)
{
    bool comment = false;
    int marks = 0;
    for (; reader->at < reader->length && reader->text[reader->at] != '\n'; reader->at++) {
        char c = reader->text[reader->at];
        comment |= c == '#';
        marks += !comment && (c == ',' || c == ';');
        if (marks > 1)
            return core_fail(NULL, ABBE_ERR_SYNTAX, "line %ld, column %zu: a number is missing before '%c'",
                             reader->line, reader->at - reader->line_start + 1, c);
        if (!comment && !is_separator(c))
            break;
        if ((unsigned char)c < 0x20 && !is_separator(c))
            return fail_here(reader, "is not text");
    }
    return ABBE_OK;
}

/* The next number, or the end of a line or of the text. */
static int next(struct reader *reader, enum found *found, double *value)
{
    int status = skip_blank(reader);
    if (status)
        return status;
    if (reader->at == reader->length) {
        *found = FOUND_TEXT_END;
        return ABBE_OK;
    }
    if (reader->text[reader->at] == '\n') {
        reader->line_start = ++reader->at;
        reader->line++;
        *found = FOUND_LINE_END;
        return ABBE_OK;
    }
    size_t read = number_read(reader->text + reader->at, reader->length - reader->at, value);
    size_t end = reader->at + read;
    if (!read || (end < reader->length && !ends_word(reader->text[end])))
        return fail_here(reader, "is not a number");
    if (!isfinite(*value))
        return fail_here(reader, "is not a finite number");
    reader->at = end;
    *found = FOUND_NUMBER;
    return ABBE_OK;
}

/* A byte order mark at the start of the text is no part of it. */
static struct reader start(const char *text, size_t length)
{
    bool mark = length >= 3 && text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf';
    return (struct reader){ text, length, mark ? 3 : 0, 1, mark ? 3 : 0 };
}

/* What the rows of a text look like before anything is stored. */
struct survey {
    int rows;
    long first_line, second_line, odd_line, strange_line;    /* the first row unlike the first, the second */
    int first_count, second_count, odd_count, strange_count; /* numbers in these rows */
    double header[HEADER_MAX];                               /* the first numbers of the first row */
};

static int note_row(struct survey *survey, long line, int count)
{
    if (survey->rows >= KERNEL_AREA_MAX || (long long)(survey->rows + 1) * count > KERNEL_AREA_MAX)
        return core_fail(NULL, ABBE_ERR_SIZE, "line %ld: more than %d numbers in all", line, KERNEL_AREA_MAX);
    survey->rows++;
    if (survey->rows == 1) {
        survey->first_line = line;
        survey->first_count = count;
        return ABBE_OK;
    }
    if (survey->rows == 2) {
        survey->second_line = line;
        survey->second_count = count;
    }
    if (count != survey->second_count && !survey->strange_line) {
        survey->strange_line = line;
        survey->strange_count = count;
    }
    if (count != survey->first_count && !survey->odd_line) {
        survey->odd_line = line;
        survey->odd_count = count;
    }
    return ABBE_OK;
}

/* First reading: checks every number and counts. */
static int survey_text(struct reader reader, struct survey *survey)
{
    enum found found = FOUND_LINE_END;
    int count = 0, status = ABBE_OK;
    while (!status && found != FOUND_TEXT_END) {
        long line = reader.line;
        double value = 0.0;
        status = next(&reader, &found, &value);
        if (status)
            return status;
        if (found == FOUND_NUMBER) {
            if (!survey->rows && count < HEADER_MAX)
                survey->header[count] = value;
            if (++count > ABBE_KERNEL_SIDE_MAX)
                return core_fail(NULL, ABBE_ERR_SIZE, "line %ld has more than %d numbers", line,
                                 ABBE_KERNEL_SIDE_MAX);
        } else if (count) {
            status = note_row(survey, line, count);
            count = 0;
        }
    }
    return status;
}

/* Whether the first row is "width height [scale [offset]]" of the rows that follow. */
static bool has_header(const struct survey *survey)
{
    return survey->rows >= 2 && survey->first_count >= 2 && survey->first_count <= HEADER_MAX &&
           !survey->strange_line && survey->header[0] == survey->second_count &&
           survey->header[1] == survey->rows - 1;
}

static int fail_ragged(long line, int count, long other_line, int other_count)
{
    return core_fail(NULL, ABBE_ERR_SYNTAX, "line %ld has %d numbers where line %ld has %d", line, count,
                     other_line, other_count);
}

/* Two readings fit. A header that no row can be, because it has another number of numbers, settles it. */
static int fail_both(const struct survey *survey)
{
    return core_fail(NULL, ABBE_ERR_SYNTAX,
                     "line %ld may be a row of %d numbers or a vips header for %d × %d: name the form of the "
                     "text, or put a line '%d %d%s' above it if it is a row",
                     survey->first_line, survey->first_count, survey->second_count, survey->rows - 1,
                     survey->first_count, survey->rows, survey->first_count == 2 ? " 1" : "");
}

/* Decides whether the first row is a header, or says why the text has not the form it should have. */
static int read_form(const struct survey *survey, abbe_matrix_form form, bool *header)
{
    bool fits = has_header(survey);
    if (!survey->rows)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the text holds no numbers");
    if (form == ABBE_MATRIX_AUTO && fits && !survey->odd_line)
        return fail_both(survey);
    if (form == ABBE_MATRIX_VIPS && survey->strange_line)
        return fail_ragged(survey->strange_line, survey->strange_count, survey->second_line,
                           survey->second_count);
    if (form == ABBE_MATRIX_VIPS && !fits)
        return core_fail(NULL, ABBE_ERR_SYNTAX,
                         "line %ld is not the vips header 'width height [scale [offset]]' of the %d × %d "
                         "numbers below it",
                         survey->first_line, survey->second_count, survey->rows - 1);
    *header = fits && form != ABBE_MATRIX_ROWS;
    if (*header && survey->first_count > 3 && survey->header[3] != 0)
        return core_fail(
            NULL, ABBE_ERR_UNSUPPORTED,
            "line %ld: the offset %g is for results, not for taps; write 0 and offset the result",
            survey->first_line, survey->header[3]);
    if (!*header && survey->odd_line)
        return fail_ragged(survey->odd_line, survey->odd_count, survey->first_line, survey->first_count);
    return ABBE_OK;
}

/* Second reading: stores value / scale, from the second row on when the first is a header. */
static int store(struct reader reader, const struct survey *survey, bool header, abbe_matrix *matrix)
{
    double scale = header && survey->first_count > 2 ? survey->header[2] : 1.0;
    size_t skip = header ? (size_t)survey->first_count : 0;
    size_t count = (size_t)matrix->width * (size_t)matrix->height;
    for (size_t i = 0; i < skip + count;) {
        enum found found;
        double value = 0.0;
        int status = next(&reader, &found, &value);
        if (status)
            return status;
        if (found != FOUND_NUMBER)
            continue;
        if (i >= skip)
            matrix->values[i - skip] = value / scale;
        if (i >= skip && !isfinite(matrix->values[i - skip]))
            return core_fail(NULL, ABBE_ERR_SYNTAX,
                             "line %ld: a number divided by the scale of line %ld is not finite", reader.line,
                             survey->first_line);
        i++;
    }
    return ABBE_OK;
}

int abbe_matrix_parse(const char *text, size_t length, abbe_matrix_form form, abbe_matrix *matrix)
{
    if (!text || !matrix)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_parse: text or matrix is NULL");
    if ((int)form < ABBE_MATRIX_AUTO || (int)form > ABBE_MATRIX_VIPS)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_parse: there is no form %d", (int)form);
    struct survey survey = { 0 };
    bool header = false;
    int status = survey_text(start(text, length), &survey);
    if (!status)
        status = read_form(&survey, form, &header);
    if (status)
        return status;
    abbe_matrix made;
    status = abbe_matrix_create(header ? survey.second_count : survey.first_count,
                                header ? survey.rows - 1 : survey.rows, &made);
    if (status)
        return status;
    status = store(start(text, length), &survey, header, &made);
    if (status)
        abbe_matrix_free(&made);
    else
        *matrix = made;
    return status;
}
