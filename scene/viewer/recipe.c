/* Turns the choices of the user into filters and plans. */
#include "recipe.h"

#include <string.h>

bool recipe_make(struct recipe *recipe, const struct state *state, const abbe_filter *own,
                 const struct strokes *strokes)
{
    *recipe = (struct recipe){ .border = state->border,
                               .border_value = state->border_value,
                               .offset = state_offset(state) };
    state_filter_text(state, recipe->text);
    if (state_filter_is_own(state))
        recipe->own = own;
    recipe->masks = strokes_keep(strokes) || strokes_painted(strokes);
    return strokes_copy(strokes, &recipe->strokes);
}

void recipe_free(struct recipe *recipe)
{
    strokes_free(&recipe->strokes);
}

bool recipe_is_identity(const struct recipe *recipe)
{
    return !recipe->masks && !recipe->own && !strcmp(recipe->text, "identity");
}

int recipe_filter(const struct recipe *recipe, abbe_filter **filter)
{
    if (recipe->own)
        return abbe_filter_chain(&recipe->own, 1, filter);
    return abbe_filter_parse(recipe->text, NULL, filter);
}

/* The numbers are those that the command reads from the file of the mask. */
int recipe_mask_filter(const struct mask *mask, bool keep, abbe_filter **filter)
{
    abbe_matrix matrix;
    size_t count = (size_t)mask->width * (size_t)mask->height;
    int error = abbe_matrix_create(mask->width, mask->height, &matrix);
    if (error)
        return error;
    for (size_t i = 0; i < count; i++)
        matrix.values[i] = (double)((float)mask_gain(mask->amounts[i], keep) / 255.0f);
    error = abbe_filter_from_mask(&matrix, filter);
    abbe_matrix_free(&matrix);
    return error;
}

abbe_plan_params recipe_params(const struct recipe *recipe, int width, int height, int channels)
{
    return (abbe_plan_params){ .width = width,
                               .height = height,
                               .channels = channels,
                               .source_type = ABBE_F32,
                               .result_type = ABBE_F32,
                               .border = recipe->border,
                               .border_value = (double)recipe->border_value,
                               .nonfinite = ABBE_NONFINITE_ZERO,
                               .offset = (double)recipe->offset };
}

static int painted_filter(const struct recipe *recipe, abbe_filter **filter)
{
    struct mask mask;
    int error = ABBE_ERR_MEMORY;
    if (mask_create(recipe->strokes.width, recipe->strokes.height, &mask)) {
        mask_draw(&mask, &recipe->strokes);
        error = recipe_mask_filter(&mask, strokes_keep(&recipe->strokes), filter);
    }
    mask_free(&mask);
    return error;
}

/* The mask comes first, because no filter may follow a gradient magnitude. */
int recipe_plan(const struct recipe *recipe, abbe_device *device, int width, int height, int channels,
                abbe_plan **plan)
{
    abbe_filter *painted = NULL, *filter = NULL, *both = NULL;
    int error = recipe->masks ? painted_filter(recipe, &painted) : ABBE_OK;
    if (!error)
        error = recipe_filter(recipe, &filter);
    const abbe_filter *chain[] = { painted, filter };
    if (!error)
        error = abbe_filter_chain(painted ? chain : chain + 1, painted ? 2 : 1, &both);
    const abbe_filter *bank[] = { both };
    abbe_plan_params params = recipe_params(recipe, width, height, channels);
    params.filters = bank;
    params.filter_count = 1;
    if (!error)
        error = abbe_plan_create(device, &params, plan);
    abbe_filter_destroy(&both);
    abbe_filter_destroy(&filter);
    abbe_filter_destroy(&painted);
    return error;
}
