/* Matrices from text: each line is a row; the first line may be a vips header, "width height [scale
 * [offset]]". */
#include "core/error.h"
#include "core/number.h"
#include "core/text.h"
#include "filter/kernel.h"
#include "filter/matrix.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { HEADER_MAX = 4 };

struct reader {
    const char *text;
    size_t length, at;
    long line;         /* the current line, from 1 */
    size_t line_start; /* its first byte */
    size_t word;       /* the first byte of the last number */
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

/* Records a message about the word at the reading position. */
static int fail_at_word(const struct reader *reader, int code, const char *complaint)
{
    size_t end = reader->at;
    while (end < reader->length && !ends_word(reader->text[end]))
        end++;
    return core_fail(NULL, code, "line %ld, column %zu: '%s' %s", reader->line,
                     reader->at - reader->line_start + 1,
                     text_show(reader->text + reader->at, end - reader->at).text, complaint);
}

/* Skips separators and comments. A comment may hold any text without control characters. Two commas or
 * semicolons in a row mean that a number is missing between them. */
static int skip_separators(struct reader *reader)
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
            return fail_at_word(reader, ABBE_ERR_SYNTAX, "is not printable text");
    }
    return ABBE_OK;
}

/* Reads the next number, or the end of a line or of the text. */
static int read_next(struct reader *reader, enum found *found, double *value)
{
    int error = skip_separators(reader);
    if (error)
        return error;
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
        return fail_at_word(reader, ABBE_ERR_SYNTAX, "is not a number");
    if (!isfinite(*value))
        return fail_at_word(reader, ABBE_ERR_SYNTAX, "is not a finite number");
    reader->word = reader->at;
    reader->at = end;
    *found = FOUND_NUMBER;
    return ABBE_OK;
}

/* Skips a byte order mark at the start of the text. */
static struct reader start_reading(const char *text, size_t length)
{
    bool mark = length >= 3 && text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf';
    return (struct reader){ text, length, mark ? 3 : 0, 1, mark ? 3 : 0 };
}

/* The shape of the rows of a text, found before anything is stored. */
struct survey {
    int rows;
    /* Lines of the first and second rows, of the first row whose count of numbers differs from the first
     * row's, and of the first row whose count differs from the second row's; 0 where there is no such row.
     * Then their counts. */
    long first_line, second_line, unlike_first_line, unlike_second_line;
    int first_count, second_count, unlike_first_count, unlike_second_count;
    double header[HEADER_MAX]; /* the first numbers of the first row */
};

static int survey_row(struct survey *survey, long line, int count)
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
    if (count != survey->second_count && !survey->unlike_second_line) {
        survey->unlike_second_line = line;
        survey->unlike_second_count = count;
    }
    if (count != survey->first_count && !survey->unlike_first_line) {
        survey->unlike_first_line = line;
        survey->unlike_first_count = count;
    }
    return ABBE_OK;
}

/* The first pass: checks every number and counts them. */
static int survey_text(struct reader reader, struct survey *survey)
{
    enum found found = FOUND_LINE_END;
    int count = 0, error = ABBE_OK;
    while (!error && found != FOUND_TEXT_END) {
        long line = reader.line;
        double value = 0.0;
        error = read_next(&reader, &found, &value);
        if (error)
            return error;
        if (found == FOUND_NUMBER) {
            if (!survey->rows && count < HEADER_MAX)
                survey->header[count] = value;
            if (++count > ABBE_KERNEL_SIDE_MAX)
                return core_fail(NULL, ABBE_ERR_SIZE, "line %ld has more than %d numbers", line,
                                 ABBE_KERNEL_SIDE_MAX);
        } else if (count) {
            error = survey_row(survey, line, count);
            count = 0;
        }
    }
    return error;
}

/* Whether the first row fits as the header "width height [scale [offset]]" of the rows that follow. */
static bool has_header(const struct survey *survey)
{
    return survey->rows >= 2 && survey->first_count >= 2 && survey->first_count <= HEADER_MAX &&
           !survey->unlike_second_line && survey->header[0] == survey->second_count &&
           survey->header[1] == survey->rows - 1;
}

static int fail_ragged(long line, int count, long other_line, int other_count)
{
    return core_fail(NULL, ABBE_ERR_SYNTAX, "line %ld has %d numbers, but line %ld has %d", line, count,
                     other_line, other_count);
}

/* Refuses a text that fits both forms. A header whose count of numbers differs from the rows would settle
 * it. */
static int fail_ambiguous(const struct survey *survey)
{
    return core_fail(
        NULL, ABBE_ERR_SYNTAX,
        "line %ld is a row of %d numbers or the vips header of %d × %d numbers: specify the form, or "
        "put a line '%d %d%s' above it if it is a row",
        survey->first_line, survey->first_count, survey->second_count, survey->rows - 1, survey->first_count,
        survey->rows, survey->first_count == 2 ? " 1" : "");
}

/* Decides whether the first row is a header, or records why the text does not have the given form. */
static int decide_form(const struct survey *survey, abbe_matrix_form form, bool *header)
{
    bool fits = has_header(survey);
    if (!survey->rows)
        return core_fail(NULL, ABBE_ERR_SYNTAX, "the text holds no numbers");
    if (form == ABBE_MATRIX_AUTO && fits && !survey->unlike_first_line)
        return fail_ambiguous(survey);
    if (form == ABBE_MATRIX_VIPS && survey->unlike_second_line)
        return fail_ragged(survey->unlike_second_line, survey->unlike_second_count, survey->second_line,
                           survey->second_count);
    if (form == ABBE_MATRIX_VIPS && !fits)
        return core_fail(NULL, ABBE_ERR_SYNTAX,
                         "line %ld is not the vips header 'width height [scale [offset]]' of the %d × %d "
                         "numbers below it",
                         survey->first_line, survey->second_count, survey->rows - 1);
    *header = fits && form != ABBE_MATRIX_ROWS;
    if (*header && survey->first_count > 3 && survey->header[3] != 0)
        return core_fail(NULL, ABBE_ERR_UNSUPPORTED,
                         "line %ld: the vips offset is %g; it must be 0, because an offset belongs to the "
                         "plan, not to the taps",
                         survey->first_line, survey->header[3]);
    if (!*header && survey->unlike_first_line)
        return fail_ragged(survey->unlike_first_line, survey->unlike_first_count, survey->first_line,
                           survey->first_count);
    return ABBE_OK;
}

/* Records the message for the last number, which a float cannot hold. */
static int fail_large_number(struct reader *reader, const struct survey *survey, double scale, double value)
{
    if (!isfinite(value))
        return core_fail(NULL, ABBE_ERR_SYNTAX,
                         "line %ld: a number divided by the scale of line %ld is not finite", reader->line,
                         survey->first_line);
    reader->at = reader->word;
    return fail_at_word(reader, ABBE_ERR_RANGE,
                        scale == 1.0 ? "is beyond the range of a float, 3.4e38"
                                     : "divided by the scale is beyond the range of a float, 3.4e38");
}

/* The second pass: stores value / scale, from the second row on when the first is a header. */
static int store_numbers(struct reader reader, const struct survey *survey, bool header, abbe_matrix *matrix)
{
    double scale = header && survey->first_count > 2 ? survey->header[2] : 1.0;
    size_t skip = header ? (size_t)survey->first_count : 0;
    size_t count = (size_t)matrix->width * (size_t)matrix->height;
    for (size_t i = 0; i < skip + count;) {
        enum found found;
        double value = 0.0;
        int error = read_next(&reader, &found, &value);
        if (error)
            return error;
        if (found != FOUND_NUMBER)
            continue;
        if (i >= skip)
            matrix->values[i - skip] = value / scale;
        if (i >= skip && !(fabs(matrix->values[i - skip]) <= FLT_MAX))
            return fail_large_number(&reader, survey, scale, matrix->values[i - skip]);
        i++;
    }
    return ABBE_OK;
}

bool abbe_matrix_has_scale(const char *text, size_t length, abbe_matrix_form form)
{
    struct survey survey = { 0 };
    bool header = false;
    bool sound = text && (int)form >= ABBE_MATRIX_AUTO && (int)form <= ABBE_MATRIX_VIPS &&
                 !survey_text(start_reading(text, length), &survey) && !decide_form(&survey, form, &header);
    return sound && header && survey.first_count > 2;
}

int abbe_matrix_parse(const char *text, size_t length, abbe_matrix_form form, abbe_matrix *matrix)
{
    if (!text || !matrix)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_parse: %s is NULL", text ? "matrix" : "text");
    if ((int)form < ABBE_MATRIX_AUTO || (int)form > ABBE_MATRIX_VIPS)
        return core_fail(NULL, ABBE_ERR_INVALID, "abbe_matrix_parse: form is %d; it must be %d to %d",
                         (int)form, ABBE_MATRIX_AUTO, ABBE_MATRIX_VIPS);
    struct survey survey = { 0 };
    bool header = false;
    int error = survey_text(start_reading(text, length), &survey);
    if (!error)
        error = decide_form(&survey, form, &header);
    if (error)
        return error;
    abbe_matrix made;
    error = abbe_matrix_create(header ? survey.second_count : survey.first_count,
                               header ? survey.rows - 1 : survey.rows, &made);
    if (error)
        return error;
    error = store_numbers(start_reading(text, length), &survey, header, &made);
    if (error)
        abbe_matrix_free(&made);
    else
        *matrix = made;
    return error;
}
