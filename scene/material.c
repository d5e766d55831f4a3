/* The table of the teapot's materials. */
#include "frame.h"

static const struct material {
    const char *name;
    float paint[4];  /* red, green, blue; 1 for metal */
    float finish[4]; /* roughness; reflectance at normal incidence; pattern */
} materials[] = {
    { "ceramic", { 0.36f, 0.035f, 0.02f, 0 }, { 0.07f, 0.05f, 0, 0 } },
    { "porcelain", { 0.82f, 0.80f, 0.75f, 0 }, { 0.14f, 0.045f, 1, 0 } },
    { "clay", { 0.42f, 0.16f, 0.085f, 0 }, { 0.62f, 0.04f, 0, 0 } },
    { "copper", { 0.93f, 0.47f, 0.30f, 1 }, { 0.11f, 0, 0, 0 } },
    { "silver", { 0.93f, 0.92f, 0.90f, 1 }, { 0.06f, 0, 0, 0 } },
    { "iron", { 0.10f, 0.095f, 0.09f, 0 }, { 0.45f, 0.05f, 2, 0 } },
};
enum { MATERIALS = sizeof materials / sizeof materials[0] };

const char *const *scene_materials(void)
{
    static const char *names[MATERIALS + 1];
    for (int i = 0; i < MATERIALS; i++)
        names[i] = materials[i].name;
    return names;
}

void material_of(int material, float paint[4], float finish[4])
{
    for (int i = 0; i < 4; i++) {
        paint[i] = materials[material].paint[i];
        finish[i] = materials[material].finish[i];
    }
}
