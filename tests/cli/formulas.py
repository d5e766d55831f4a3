"""The catalogue of filters written out as formulas, in double precision and independently of the library.

A kernel is an array of taps as they are convolved; a pair of kernels stands for a gradient magnitude.
Angles turn counter-clockwise on the screen, so a direction is (cos, −sin) with y pointing down."""

import numpy as np
import scipy.integrate
import scipy.signal


def direction(angle):
    radians = np.deg2rad(angle)
    return np.cos(radians), -np.sin(radians)


# ---- In space ------------------------------------------------------------------------------------------

def grid(radius):
    """Columns and rows counted from the centre."""
    steps = np.arange(-radius, radius + 1.0)
    return np.meshgrid(steps, steps)


def identity():
    return np.ones((1, 1))


def box(radius=2):
    side = 2 * radius + 1
    return np.full((side, side), 1.0 / side ** 2)


def derivative(sigma=2.0, order_x=1, order_y=0, truncate=4.0):
    """Taps as SciPy's gaussian_filter convolves them, with the sum of a second derivative made zero."""
    x = grid(int(truncate * sigma + 0.5))[0][0]
    g = np.exp(-x * x / (2 * sigma * sigma))
    g /= g.sum()
    t = x / sigma
    lines = [factor / sigma ** order * g for order, factor in enumerate((1, -t, t * t - 1, 3 * t - t ** 3))]
    lines[2] = lines[2] - lines[2].sum() * g
    return np.outer(lines[order_y], lines[order_x])


def stretched(sigma_x, sigma_y, truncate=4.0):
    """A Gaussian with a standard deviation for each axis."""
    def line(sigma):
        x = grid(int(truncate * sigma + 0.5))[0][0]
        return gaussian(sigma, truncate)[len(x) // 2] / gaussian(sigma, truncate)[len(x) // 2].sum()
    return np.outer(line(sigma_y), line(sigma_x))


def gaussian(sigma=2.0, truncate=4.0):
    x, y = grid(int(truncate * sigma + 0.5))
    taps = np.exp(-(x * x + y * y) / (2 * sigma * sigma))
    return taps / taps.sum()


def disk(radius=5.0):
    """Each tap is the area of its pixel inside the circle."""
    half = int(np.ceil(radius - 0.5))

    def area(i, j):
        def height(x):
            reach = np.sqrt(max(radius * radius - x * x, 0.0))
            return max(0.0, min(j + 0.5, reach) - max(j - 0.5, -reach))
        bends = [np.sqrt(radius ** 2 - edge ** 2) for edge in (j - 0.5, j + 0.5) if abs(edge) < radius]
        inside = [s * b for b in bends + [radius] for s in (-1, 1) if i - 0.5 < s * b < i + 0.5]
        return scipy.integrate.quad(height, i - 0.5, i + 0.5, points=inside or None, limit=200)[0]

    taps = np.array([[area(i, j) for i in range(-half, half + 1)] for j in range(-half, half + 1)])
    return taps / taps.sum()


def motion(length=15.0, angle=0.0, fine=41):
    """Each tap is the fraction of its pixel inside a rectangle one pixel wide; exact only along an axis."""
    along_x, along_y = direction(angle)
    half = int(length / 2 + 1)
    steps = (np.arange((2 * half + 1) * fine) + 0.5) / fine - half - 0.5
    x, y = np.meshgrid(steps, steps)
    inside = (np.abs(x * along_x + y * along_y) < length / 2) & (np.abs(y * along_x - x * along_y) < 0.5)
    taps = inside.reshape(2 * half + 1, fine, 2 * half + 1, fine).sum((1, 3)).astype(float)
    return taps / taps.sum()


def laplacian(connect=4):
    taps = np.ones((3, 3)) if connect == 8 else np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], float)
    taps[1, 1] = -connect
    return taps


def padded(kernel, side):
    margin = (side - kernel.shape[0]) // 2
    return np.pad(kernel, margin)


def sharpen(amount=1.0):
    return padded(identity(), 3) - amount * laplacian()


def unsharp(sigma=2.0, amount=1.0):
    blur = gaussian(sigma)
    return (1 + amount) * padded(identity(), blur.shape[0]) - amount * blur


def dog(sigma=2.0, ratio=1.6):
    wide = gaussian(ratio * sigma)
    return padded(gaussian(sigma), wide.shape[0]) - wide


def log(sigma=2.0):
    """g″ ⊗ g + g ⊗ g″, g″ minus the multiple of g that makes its sum zero."""
    x = grid(int(4 * sigma + 0.5))[0][0]
    g = np.exp(-x * x / (2 * sigma * sigma))
    g /= g.sum()
    second = (x * x / sigma ** 4 - 1 / sigma ** 2) * g
    second -= second.sum() * g
    return np.outer(g, second) + np.outer(second, g)


def gradient(side, middle, axis):
    taps = np.outer([side, middle, side], [1.0, 0.0, -1.0])
    return {"x": (taps,), "y": (taps.T,), "both": (taps, taps.T)}[axis]


def emboss(angle=135.0):
    """As correlation δ − √2 · d·n with n pointing at the light; convolution flips the taps."""
    x, y = grid(1)
    light_x, light_y = direction(angle)
    return (x == 0) * (y == 0) + np.sqrt(2) * (x * light_x + y * light_y)


def gabor(period=8.0, angle=0.0, sigma=4.0):
    """A wave under a Gaussian without mean, of gain one at its own frequency."""
    x, y = grid(int(4 * sigma + 0.5))
    wave_x, wave_y = direction(angle)
    envelope = gaussian(sigma)
    wave = np.cos(2 * np.pi * (x * wave_x + y * wave_y) / period)
    taps = envelope * wave
    taps -= taps.sum() * envelope
    return taps / (taps * wave).sum()


def chain(*kernels):
    taps = kernels[0]
    for kernel in kernels[1:]:
        taps = scipy.signal.convolve(taps, kernel, method="direct")
    return taps


# The whole catalogue in space: text → kernels. Taps of `motion` off the axes are sampled, not exact.
IN_SPACE = {
    "identity": (identity(),),
    "box": (box(),),
    "box:radius=3": (box(3),),
    "box:width=7:height=3": (np.full((3, 7), 1 / 21),),
    "gaussian": (gaussian(),),
    "gaussian:sigma=3:sigma_y=0.7": (stretched(3, 0.7),),
    "derivative": (derivative(),),
    "derivative:sigma=1.5:order_x=0:order_y=2": (derivative(1.5, 0, 2),),
    "derivative:sigma=3:order_x=1:order_y=3": (derivative(3, 1, 3),),
    "separable:x=1/2/1:y=1/0/-1": (np.outer([1, 0, -1], [1, 2, 1]).astype(float),),
    "separable:x=1/4/6/4/1:y=.5/-3/.25:normalize=0": (np.outer([.5, -3, .25], [1, 4, 6, 4, 1]),),
    "gaussian:sigma=1.3:truncate=3": (gaussian(1.3, 3),),
    "disk": (disk(),),
    "disk:radius=2.7": (disk(2.7),),
    "motion": (np.full((1, 15), 1 / 15),),
    "motion:length=7:angle=90": (np.full((7, 1), 1 / 7),),
    "sharpen": (sharpen(),),
    "sharpen:amount=0.25": (sharpen(0.25),),
    "unsharp": (unsharp(),),
    "unsharp:sigma=1:amount=0.5": (unsharp(1, 0.5),),
    "laplacian": (laplacian(),),
    "laplacian:connect=8": (laplacian(8),),
    "log": (log(),),
    "dog": (dog(),),
    "dog:sigma=1:ratio=2": (dog(1, 2),),
    "sobel": gradient(1, 2, "both"),
    "sobel:axis=x": gradient(1, 2, "x"),
    "sobel:axis=y": gradient(1, 2, "y"),
    "prewitt": gradient(1, 1, "both"),
    "prewitt:axis=y": gradient(1, 1, "y"),
    "scharr": gradient(3, 10, "both"),
    "scharr:axis=x": gradient(3, 10, "x"),
    "emboss": (emboss(),),
    "emboss:angle=20": (emboss(20),),
    "gabor": (gabor(),),
    "gabor:period=6:angle=30:sigma=2": (gabor(6, 30, 2),),
    "box:radius=1,sharpen": (chain(box(1), sharpen()),),
    "gaussian:sigma=1,sobel": tuple(chain(gaussian(1), k) for k in gradient(1, 2, "both")),
}
SAMPLED = {
    "motion:length=11:angle=30": (motion(11, 30),),
    "motion:length=9:angle=-60": (motion(9, -60),),
}


# ---- In frequency --------------------------------------------------------------------------------------

def fall(f, cutoff, shape="butterworth", order=2.0):
    """The low pass. Its gain at the cut-off is one half for every shape except ideal."""
    if shape == "ideal":
        return (f <= cutoff).astype(float)
    if shape == "gaussian":
        return 2.0 ** -((f / cutoff) ** 2)
    return 1 / (1 + (f / cutoff) ** (2 * order))


def band(f, low, high, **shape):
    return fall(f, high, **shape) * (1 - fall(f, low, **shape))


def notch(fx, fy, x, y, radius, shape="gaussian", order=2.0):
    """Two high passes, about (x, y) and its opposite, on a plane of period one."""
    gains = 1.0
    for sign in (1, -1):
        dx, dy = fx - sign * x, fy - sign * y
        distance = np.hypot(dx - np.rint(dx), dy - np.rint(dy))
        gains = gains * (1 - fall(distance, radius, shape, order))
    return gains


def streak(fx, fy, angle, width):
    along_x, along_y = direction(angle)
    delta = np.rad2deg(np.arctan2(np.abs(fx * along_x + fy * along_y), np.abs(fx * along_y - fy * along_x)))
    return 2.0 ** -((2 * delta / width) ** 2)


def power(f, exponent):
    return np.where(f > 0, (np.where(f > 0, f, 1) / 0.5) ** exponent, 1)


def mask(fx, fy, gains):
    """Gains of the same size as the picture, centred, averaged with their point reflection."""
    height, width = gains.shape
    plane = np.roll(gains, (-(height // 2), -(width // 2)), (0, 1))
    return (plane + np.roll(plane[::-1, ::-1], (1, 1), (0, 1))) / 2


# text → gains over (|f|, fx, fy). Cut-offs without a unit are fractions of Nyquist, half a cycle per pixel.
IN_FREQUENCY = {
    "lowpass": lambda f, fx, fy: fall(f, 0.125),
    "lowpass:cutoff=0.4:order=5": lambda f, fx, fy: fall(f, 0.2, order=5),
    "lowpass:cutoff=0.1cpp:shape=gaussian": lambda f, fx, fy: fall(f, 0.1, "gaussian"),
    "lowpass:cutoff=7.3px:shape=ideal": lambda f, fx, fy: fall(f, 1 / 7.3, "ideal"),
    "highpass": lambda f, fx, fy: 1 - fall(f, 0.125),
    "highpass:cutoff=0.3:shape=gaussian": lambda f, fx, fy: 1 - fall(f, 0.15, "gaussian"),
    "bandpass": lambda f, fx, fy: band(f, 0.05, 0.15),
    "bandpass:low=0.2:high=0.6:shape=gaussian": lambda f, fx, fy: band(f, 0.1, 0.3, shape="gaussian"),
    "bandreject": lambda f, fx, fy: 1 - band(f, 0.05, 0.15),
    "bandreject:low=10px:high=0.2cpp:order=3": lambda f, fx, fy: 1 - band(f, 0.1, 0.2, order=3),
    "notch:x=0.4:y=0.1": lambda f, fx, fy: notch(fx, fy, 0.2, 0.05, 0.01),
    "notch:x=-0.5:y=0.9:radius=0.2:shape=butterworth": lambda f, fx, fy: notch(
        fx, fy, -0.25, 0.45, 0.1, "butterworth"),
    "streak:angle=30:width=40": lambda f, fx, fy: streak(fx, fy, 30, 40),
    "power": lambda f, fx, fy: power(f, -1),
    "power:exponent=0.5": lambda f, fx, fy: power(f, 0.5),
    "lowpass:cutoff=0.5,highpass:cutoff=0.1": lambda f, fx, fy: fall(f, 0.25) * (1 - fall(f, 0.05)),
}
