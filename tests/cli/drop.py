"""Drops a file on the window under the pointer, as a file manager does (XDND version 5), through libX11."""

import ctypes
import ctypes.util
import sys
import time
import urllib.parse

X = ctypes.CDLL("libX11.so.6")
for name in ("XOpenDisplay", "XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
    getattr(X, name).restype = ctypes.c_void_p if name == "XOpenDisplay" else ctypes.c_ulong
CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Selection(ctypes.Structure):
    """A request; a notification lacks the owner."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                ("display", ctypes.c_void_p), ("windows", ctypes.c_ulong * 6)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("selection", Selection),
                ("room", ctypes.c_long * 24)]


class Source:
    def __init__(self):
        self.display = ctypes.c_void_p(X.XOpenDisplay(None))
        self.root = ctypes.c_ulong(X.XDefaultRootWindow(self.display))
        self.window = ctypes.c_ulong(X.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0))

    def atom(self, name):
        return X.XInternAtom(self.display, name.encode(), 0)

    def send(self, target, name, *data):
        event = Event()
        event.client = ClientMessage(CLIENT_MESSAGE, 0, 1, self.display, target, self.atom(name), 32,
                                     (ctypes.c_long * 5)(self.window.value, *data))
        X.XSendEvent(self.display, ctypes.c_ulong(target), 0, 0, ctypes.byref(event))
        X.XFlush(self.display)

    def answer(self, request, text):
        """Hands the text to the window that asked for the selection."""
        _, requestor, selection, target, prop, moment = request.windows
        X.XChangeProperty(self.display, ctypes.c_ulong(requestor), ctypes.c_ulong(prop), ctypes.c_ulong(target), 8,
                          0, text, len(text))
        event = Event()
        event.selection = Selection(SELECTION_NOTIFY, 0, 1, self.display,
                                    (ctypes.c_ulong * 6)(requestor, selection, target, prop, moment, 0))
        X.XSendEvent(self.display, ctypes.c_ulong(requestor), 0, 0, ctypes.byref(event))
        X.XFlush(self.display)

    def drop(self, target, path, seconds=20):
        X.XSetSelectionOwner(self.display, ctypes.c_ulong(self.atom("XdndSelection")), self.window,
                             ctypes.c_ulong(0))
        self.send(target, "XdndEnter", 5 << 24, self.atom("text/uri-list"), 0, 0)
        self.send(target, "XdndPosition", 0, 20 << 16 | 20, 0, self.atom("XdndActionCopy"))
        self.send(target, "XdndDrop", 0, 0, 0, 0)
        text = ("file://" + urllib.parse.quote(path) + "\r\n").encode()
        event, end = Event(), time.monotonic() + seconds
        while time.monotonic() < end:
            if not X.XPending(self.display):
                time.sleep(0.01)
                continue
            X.XNextEvent(self.display, ctypes.byref(event))
            if event.type == SELECTION_REQUEST:
                self.answer(event.selection, text)
            elif event.type == CLIENT_MESSAGE and event.client.message == self.atom("XdndFinished"):
                return True
        return False


if __name__ == "__main__":
    sys.exit(0 if Source().drop(int(sys.argv[1]), sys.argv[2]) else 1)
