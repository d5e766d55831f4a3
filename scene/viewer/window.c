/* The window by GLFW, which is opened at run time, so that only the viewer needs it. */
#include "window.h"

#include "../gl.h"
#include "state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

/* DO(name): the function glfwname. */
#define GLFW_FUNCTIONS(DO)     \
    DO(Init)                   \
    DO(Terminate)              \
    DO(GetError)               \
    DO(WindowHint)             \
    DO(CreateWindow)           \
    DO(DestroyWindow)          \
    DO(MakeContextCurrent)     \
    DO(GetProcAddress)         \
    DO(SwapBuffers)            \
    DO(SwapInterval)           \
    DO(PollEvents)             \
    DO(WaitEventsTimeout)      \
    DO(WindowShouldClose)      \
    DO(GetFramebufferSize)     \
    DO(GetWindowSize)          \
    DO(GetTime)                \
    DO(GetCursorPos)           \
    DO(GetMouseButton)         \
    DO(SetKeyCallback)         \
    DO(SetCharCallback)        \
    DO(SetScrollCallback)      \
    DO(SetMouseButtonCallback) \
    DO(SetCursorPosCallback)

struct window {
#define MEMBER(name) __typeof__(glfw##name) *name;
    GLFW_FUNCTIONS(MEMBER)
#undef MEMBER
    GLFWwindow *handle;
    struct window_events events;
    bool moved;  /* x and y are known */
    double x, y; /* of the pointer at the last event */
};

/* Callbacks receive GLFW's handle, but they need the functions of this window. There is one window at a
 * time. */
static struct window *the_window;

/* ---- Events -------------------------------------------------------------------------------------------- */

static void handle_letter(GLFWwindow *handle, unsigned letter)
{
    (void)handle;
    if (letter < 128)
        the_window->events.key(the_window->events.user, (int)letter);
}

static void handle_key(GLFWwindow *handle, int key, int code, int action, int modifiers)
{
    static const int keys[][2] = { { GLFW_KEY_LEFT, KEY_LEFT }, { GLFW_KEY_RIGHT, KEY_RIGHT },
                                   { GLFW_KEY_UP, KEY_UP },     { GLFW_KEY_DOWN, KEY_DOWN },
                                   { GLFW_KEY_TAB, KEY_TAB },   { GLFW_KEY_ESCAPE, KEY_ESCAPE } };
    (void)handle, (void)code, (void)modifiers;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] == key && action != GLFW_RELEASE)
            the_window->events.key(the_window->events.user, keys[i][1]);
}

static void handle_wheel(GLFWwindow *handle, double across, double steps)
{
    (void)handle, (void)across;
    the_window->events.wheel(the_window->events.user, steps);
}

static void report_pointer(struct window *window, double x, double y)
{
    int width, height, wide, high;
    window->GetWindowSize(window->handle, &width, &height);
    window->GetFramebufferSize(window->handle, &wide, &high);
    int left = window->GetMouseButton(window->handle, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS ? BUTTON_LEFT : 0;
    int right = window->GetMouseButton(window->handle, GLFW_MOUSE_BUTTON_RIGHT) == GLFW_PRESS ? BUTTON_RIGHT
                                                                                              : 0;
    if (width > 0 && height > 0)
        window->events.pointer(window->events.user, x * wide / width, y * high / height, left | right);
}

/* Uses the position of the last event. GetCursorPos would ask for the present one, where
 * the pointer is already ahead if events are handled late; strokes would begin there. */
static void handle_button(GLFWwindow *handle, int button, int action, int modifiers)
{
    (void)button, (void)action, (void)modifiers;
    if (!the_window->moved)
        the_window->GetCursorPos(handle, &the_window->x, &the_window->y);
    report_pointer(the_window, the_window->x, the_window->y);
}

static void handle_move(GLFWwindow *handle, double x, double y)
{
    (void)handle;
    the_window->moved = true;
    the_window->x = x;
    the_window->y = y;
    report_pointer(the_window, x, y);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static bool open_glfw(struct window *window, char reason[SCENE_REASON])
{
    void *library = dlopen("libglfw.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return scene_refuse(reason, "libglfw.so.3 is not there; install GLFW (Debian: libglfw3)");
    void *symbol;
#define FIND(name)                                 \
    symbol = dlsym(library, "glfw" #name);         \
    memcpy(&window->name, &symbol, sizeof symbol); \
    if (!symbol)                                   \
        return scene_refuse(reason, "libglfw.so.3 lacks glfw" #name);
    GLFW_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static const char *last_error(const struct window *window)
{
    const char *text = NULL;
    window->GetError(&text);
    return text ? text : "GLFW gives no reason";
}

/* Tries EGL first, the native interface of OpenGL ES, then GLX. */
static bool create_window(struct window *window, int width, int height, const char *title)
{
    static const int ways[] = { GLFW_EGL_CONTEXT_API, GLFW_NATIVE_CONTEXT_API };
    for (int i = 0; i < 2 && !window->handle; i++) {
        window->WindowHint(GLFW_CLIENT_API, GLFW_OPENGL_ES_API);
        window->WindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        window->WindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
        window->WindowHint(GLFW_CONTEXT_CREATION_API, ways[i]);
        window->handle = window->CreateWindow(width, height, title, NULL, NULL);
    }
    return window->handle != NULL;
}

static bool start_window(struct window *window, int width, int height, const char *title,
                         char reason[SCENE_REASON])
{
    if (!window->Init())
        return scene_refuse(reason, "no window can be opened: %s", last_error(window));
    if (!create_window(window, width, height, title))
        return scene_refuse(reason, "no window with OpenGL ES 3.0 can be opened: %s", last_error(window));
    window->MakeContextCurrent(window->handle);
    window->SwapInterval(1);
    window->SetKeyCallback(window->handle, handle_key);
    window->SetCharCallback(window->handle, handle_letter);
    window->SetScrollCallback(window->handle, handle_wheel);
    window->SetMouseButtonCallback(window->handle, handle_button);
    window->SetCursorPosCallback(window->handle, handle_move);
    return true;
}

struct window *window_open(int width, int height, const char *title, const struct window_events *events,
                           char reason[SCENE_REASON])
{
    struct window *window = calloc(1, sizeof *window);
    if (!window) {
        scene_refuse(reason, "out of memory");
        return NULL;
    }
    window->events = *events;
    the_window = window;
    if (!open_glfw(window, reason) || !start_window(window, width, height, title, reason))
        window_close(&window);
    return window;
}

void window_close(struct window **window)
{
    if (!*window)
        return;
    if ((*window)->handle)
        (*window)->DestroyWindow((*window)->handle);
    if ((*window)->Terminate)
        (*window)->Terminate();
    free(*window);
    *window = the_window = NULL;
}

/* ---- Use ----------------------------------------------------------------------------------------------- */

bool window_poll(struct window *window, double seconds)
{
    if (seconds > 0)
        window->WaitEventsTimeout(seconds);
    else
        window->PollEvents();
    return !window->WindowShouldClose(window->handle);
}

void window_size(const struct window *window, int *width, int *height)
{
    window->GetFramebufferSize(window->handle, width, height);
}

void window_show(struct window *window)
{
    window->SwapBuffers(window->handle);
}

double window_time(const struct window *window)
{
    return window->GetTime();
}

scene_get_function window_functions(const struct window *window)
{
    return window->GetProcAddress;
}
