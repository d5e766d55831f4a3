/* Sources of the kernels in kernels/cuda, embedded by the build. */
#include "cuda/kernels.h"

#include "columns.cu.h"
#include "direct.cu.h"
#include "finish.cu.h"
#include "rows.cu.h"
#include "rows_back.cu.h"
#include "separable_columns.cu.h"
#include "separable_rows.cu.h"

#define TEXT(name) [ABCU_KERNEL_##name] = name##_cu,
const char *const cuda_source_texts[ABCU_KERNEL_COUNT] = { ABCU_KERNELS(TEXT) };

#define SOURCE_NAME(name) [ABCU_KERNEL_##name] = #name ".cu",
const char *const cuda_source_names[ABCU_KERNEL_COUNT] = { ABCU_KERNELS(SOURCE_NAME) };

#define FUNCTION_NAME(name) [ABCU_KERNEL_##name] = "abcu_" #name,
const char *const cuda_function_names[ABCU_KERNEL_COUNT] = { ABCU_KERNELS(FUNCTION_NAME) };
