/* The window by GLFW, which is opened at run time, so that only the viewer needs it. */
#include "window.h"

#include "../gl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

/* DO(name): the function glfwname. */
#define GLFW_FUNCTIONS(DO)         \
    DO(Init)                       \
    DO(Terminate)                  \
    DO(GetError)                   \
    DO(WindowHint)                 \
    DO(CreateWindow)               \
    DO(DestroyWindow)              \
    DO(MakeContextCurrent)         \
    DO(GetProcAddress)             \
    DO(SwapBuffers)                \
    DO(SwapInterval)               \
    DO(PollEvents)                 \
    DO(WaitEventsTimeout)          \
    DO(WindowShouldClose)          \
    DO(GetFramebufferSize)         \
    DO(GetWindowSize)              \
    DO(GetTime)                    \
    DO(GetCursorPos)               \
    DO(GetMouseButton)             \
    DO(GetKey)                     \
    DO(PostEmptyEvent)             \
    DO(SetWindowTitle)             \
    DO(SetDropCallback)            \
    DO(SetFramebufferSizeCallback) \
    DO(SetKeyCallback)             \
    DO(SetCharCallback)            \
    DO(SetScrollCallback)          \
    DO(SetMouseButtonCallback)     \
    DO(SetCursorPosCallback)

struct window {
#define MEMBER(name) __typeof__(glfw##name) *name;
    GLFW_FUNCTIONS(MEMBER)
#undef MEMBER
    GLFWwindow *handle;
    struct event *events; /* collected and not yet taken: from `taken` to `count` */
    size_t taken, count, room;
    bool moved;  /* x and y are known */
    double x, y; /* of the pointer at the last event, in pixels of the framebuffer */
};

/* Callbacks receive GLFW's handle, but they need the functions of this window. There is one window at a
 * time. */
static struct window *the_window;

/* ---- Events -------------------------------------------------------------------------------------------- */

/* An event for which memory runs out is lost. */
static void collect_event(struct window *window, struct event event)
{
    if (window->count == window->room) {
        size_t room = window->room ? 2 * window->room : 64;
        struct event *moved = realloc(window->events, room * sizeof *moved);
        if (!moved) {
            free(event.name);
            return;
        }
        window->events = moved;
        window->room = room;
    }
    event.x = window->x;
    event.y = window->y;
    window->events[window->count++] = event;
}

static void handle_letter(GLFWwindow *handle, unsigned letter)
{
    (void)handle;
    if (letter < 128)
        collect_event(the_window, (struct event){ .kind = EVENT_KEY, .key = (int)letter });
}

/* Letters with the control key are no characters. */
static int key_code(int key, int modifiers)
{
    static const int keys[][2] = { { GLFW_KEY_LEFT, KEY_LEFT }, { GLFW_KEY_RIGHT, KEY_RIGHT },
                                   { GLFW_KEY_UP, KEY_UP },     { GLFW_KEY_DOWN, KEY_DOWN },
                                   { GLFW_KEY_TAB, KEY_TAB },   { GLFW_KEY_ESCAPE, KEY_ESCAPE } };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] == key)
            return keys[i][1];
    if (!(modifiers & GLFW_MOD_CONTROL))
        return 0;
    if (key == GLFW_KEY_Z)
        return modifiers & GLFW_MOD_SHIFT ? KEY_REDO : KEY_UNDO;
    return key == GLFW_KEY_Y ? KEY_REDO : 0;
}

static void handle_key(GLFWwindow *handle, int key, int code, int action, int modifiers)
{
    (void)handle, (void)code;
    int ours = key_code(key, modifiers);
    if (ours && action != GLFW_RELEASE)
        collect_event(the_window, (struct event){ .kind = EVENT_KEY, .key = ours });
}

static bool is_down(const struct window *window, int left, int right)
{
    return window->GetKey(window->handle, left) == GLFW_PRESS ||
           window->GetKey(window->handle, right) == GLFW_PRESS;
}

static void handle_wheel(GLFWwindow *handle, double across, double steps)
{
    (void)handle;
    struct window *window = the_window;
    int shift = is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT) ? WITH_SHIFT : 0;
    int control = is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL) ? WITH_CONTROL : 0;
    /* Some systems turn the wheel with shift into one across. */
    if (shift && steps == 0)
        steps = across;
    collect_event(window,
                  (struct event){ .kind = EVENT_WHEEL, .steps = steps, .modifiers = shift | control });
}

/* Remembers a position of the window in pixels of the framebuffer, which may be finer. */
static void keep_position(struct window *window, double x, double y)
{
    int width, height, wide, high;
    window->GetWindowSize(window->handle, &width, &height);
    window->GetFramebufferSize(window->handle, &wide, &high);
    if (width < 1 || height < 1)
        return;
    window->moved = true;
    window->x = x * wide / width;
    window->y = y * high / height;
}

/* Events arrive in their order, so the buttons are those of the moment, even if they are handled late. */
static void collect_pointer(struct window *window)
{
    static const int buttons[][2] = { { GLFW_MOUSE_BUTTON_LEFT, BUTTON_LEFT },
                                      { GLFW_MOUSE_BUTTON_RIGHT, BUTTON_RIGHT },
                                      { GLFW_MOUSE_BUTTON_MIDDLE, BUTTON_MIDDLE } };
    struct event event = { .kind = EVENT_POINTER };
    for (size_t i = 0; i < sizeof buttons / sizeof buttons[0]; i++)
        if (window->GetMouseButton(window->handle, buttons[i][0]) == GLFW_PRESS)
            event.buttons |= buttons[i][1];
    collect_event(window, event);
}

/* Uses the position of the last event. GetCursorPos would ask for the present one, where
 * the pointer is already ahead if events are handled late; strokes would begin there. */
static void handle_button(GLFWwindow *handle, int button, int action, int modifiers)
{
    (void)button, (void)action, (void)modifiers;
    double x, y;
    if (!the_window->moved) {
        the_window->GetCursorPos(handle, &x, &y);
        keep_position(the_window, x, y);
    }
    collect_pointer(the_window);
}

static void handle_move(GLFWwindow *handle, double x, double y)
{
    (void)handle;
    keep_position(the_window, x, y);
    collect_pointer(the_window);
}

static void collect_size(struct window *window, int width, int height)
{
    collect_event(window, (struct event){ .kind = EVENT_SIZE, .width = width, .height = height });
}

static void handle_size(GLFWwindow *handle, int width, int height)
{
    (void)handle;
    collect_size(the_window, width, height);
}

/* Of several files the first is opened. */
static void handle_drop(GLFWwindow *handle, int count, const char **names)
{
    (void)handle;
    char *name = count > 0 ? strdup(names[0]) : NULL;
    if (name)
        collect_event(the_window, (struct event){ .kind = EVENT_DROP, .name = name });
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
    window->SetFramebufferSizeCallback(window->handle, handle_size);
    window->SetDropCallback(window->handle, handle_drop);
    window->GetFramebufferSize(window->handle, &width, &height);
    collect_size(window, width, height);
    return true;
}

struct window *window_open(int width, int height, const char *title, char reason[SCENE_REASON])
{
    struct window *window = calloc(1, sizeof *window);
    if (!window) {
        scene_refuse(reason, "out of memory");
        return NULL;
    }
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
    for (size_t i = (*window)->taken; i < (*window)->count; i++)
        free((*window)->events[i].name);
    free((*window)->events);
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

bool window_next(struct window *window, struct event *event)
{
    if (window->taken == window->count) {
        window->taken = window->count = 0;
        return false;
    }
    *event = window->events[window->taken++];
    return true;
}

void window_wake(struct window *window)
{
    window->PostEmptyEvent();
}

void window_title(struct window *window, const char *title)
{
    window->SetWindowTitle(window->handle, title);
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
