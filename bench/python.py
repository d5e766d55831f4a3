#!/usr/bin/env python3
"""Times the Python package against SciPy, OpenCV, scikit-image and PyTorch, and writes a page.

    bench/python.py [--side N] [--seconds S] [--threads N] [--page FILE]

All contenders of a case filter the same random picture on one thread, and agree before they are timed: a contender
whose result differs from the first one's by more than 1 % of the picture's range is a failure. They run in turns,
and the shortest of their times counts. Times are those of the processor: what other programs take is not in them.
At last, threads of Python share a plan, to show that runs do not hold the GIL.
"""
import argparse
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import platform  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import cv2  # noqa: E402
import numpy as np  # noqa: E402
import scipy  # noqa: E402
import scipy.ndimage  # noqa: E402
import scipy.signal  # noqa: E402
import skimage  # noqa: E402
import skimage.filters  # noqa: E402
import torch  # noqa: E402

import abbe  # noqa: E402
import abbe.ndimage  # noqa: E402
import abbe.signal  # noqa: E402

cv2.setNumThreads(1)
torch.set_num_threads(1)
DEVICE = abbe.Device("cpu", threads=1)
# Slow contenders are timed until this many times the seconds of a case are over, at least once.
PATIENCE = 3


def disk(radius):
    return abbe.Filter(f"disk:radius={radius}").taps()


def torch_convolve(picture, taps):
    """cross-correlation with zeros around, as neural networks have it; the kernel is symmetric"""
    with torch.no_grad():
        result = torch.nn.functional.conv2d(torch.from_numpy(picture)[None, None],
                                            torch.from_numpy(taps.astype("f4"))[None, None], padding="same")
    return result[0, 0].numpy()


def torch_multiply(picture, gains):
    return torch.fft.irfft2(torch.fft.rfft2(torch.from_numpy(picture)) * torch.from_numpy(gains),
                            s=picture.shape).numpy()


def list_cases(side):
    """(title, {contender: function}), Abbe first."""
    random = np.random.default_rng(11)
    picture = random.random((side, side), dtype="f4")
    doubles = picture.astype("f8")
    bytes_ = (picture * 255).astype("u1")
    colours = random.random((side, side, 3), dtype="f4")
    inside = np.s_[200:-200, 200:-200] if side > 800 else np.s_[130:-130, 130:-130]

    def run(array, filter, **options):
        return lambda: abbe.filter(array, filter, device=DEVICE, **options)

    for sigma in (1.5, 3, 10, 30):
        size = 2 * int(4 * sigma + 0.5) + 1
        yield f"Gaussian, σ = {sigma}", inside, {
            "Abbe": run(picture, f"gaussian:sigma={sigma}"),
            "scipy.ndimage": lambda sigma=sigma: scipy.ndimage.gaussian_filter(picture, sigma),
            "OpenCV": lambda sigma=sigma, size=size: cv2.GaussianBlur(picture, (size, size), sigma),
            "scikit-image": lambda sigma=sigma: skimage.filters.gaussian(picture, sigma, mode="reflect"),
        }
    for radius in (3, 10, 30):
        taps = disk(radius)
        contenders = {
            "Abbe": run(picture, f"disk:radius={radius}", border="zero"),
            "scipy fftconvolve": lambda taps=taps: scipy.signal.fftconvolve(picture, taps.astype("f4"), "same"),
            "scipy oaconvolve": lambda taps=taps: scipy.signal.oaconvolve(picture, taps.astype("f4"), "same"),
            "OpenCV": lambda taps=taps: cv2.filter2D(picture, -1, taps, borderType=cv2.BORDER_CONSTANT),
        }
        if radius <= 10:
            contenders["scipy.ndimage"] = lambda taps=taps: scipy.ndimage.convolve(picture, taps, mode="constant")
            contenders["PyTorch conv2d"] = lambda taps=taps: torch_convolve(picture, taps)
        yield f"disk, {2 * radius + 1} × {2 * radius + 1} taps", inside, contenders
    fx, fy = np.fft.rfftfreq(side)[None], np.fft.fftfreq(side)[:, None]
    gains = (1 / (1 + (np.hypot(fx, fy) / 0.05) ** 4)).astype("f4")
    yield "Butterworth low pass, border wrap", inside, {
        "Abbe": run(picture, "lowpass:cutoff=0.1", border="wrap"),
        "scipy.fft": lambda: scipy.fft.irfft2(scipy.fft.rfft2(picture) * gains, s=picture.shape),
        "PyTorch fft": lambda: torch_multiply(picture, gains),
    }
    yield "Gaussian, σ = 3, RGB", inside, {
        "Abbe": run(colours, "gaussian:sigma=3", channel_axis=-1),
        "scipy.ndimage": lambda: scipy.ndimage.gaussian_filter(colours, (3, 3, 0)),
        "OpenCV": lambda: cv2.GaussianBlur(colours, (25, 25), 3),
        "scikit-image": lambda: skimage.filters.gaussian(colours, 3, mode="reflect", channel_axis=-1),
    }
    yield "drop-in: gaussian_filter, σ = 10, float64", inside, {
        "Abbe": lambda: abbe.ndimage.gaussian_filter(doubles, 10),
        "scipy.ndimage": lambda: scipy.ndimage.gaussian_filter(doubles, 10),
    }
    weights = np.round(random.random((5, 5)) * 12 - 3)
    for title, name, *arguments in (
            ("gaussian_filter, σ = 3", "gaussian_filter", 3), ("uniform_filter, 9 × 9", "uniform_filter", 9),
            ("sobel", "sobel"), ("convolve with 5 × 5 integers", "convolve", weights)):
        yield f"drop-in: {title}, bytes", inside, {
            "Abbe": lambda name=name, arguments=arguments: getattr(abbe.ndimage, name)(bytes_, *arguments),
            "scipy.ndimage": lambda name=name, arguments=arguments: getattr(scipy.ndimage, name)(bytes_, *arguments),
        }
    yield "drop-in: fftconvolve with 61 × 61 taps, float64", inside, {
        "Abbe": lambda: abbe.signal.fftconvolve(doubles, disk(30), "same"),
        "scipy.signal": lambda: scipy.signal.fftconvolve(doubles, disk(30), "same"),
    }
    small = random.random((64, 64), dtype="f4")
    yield "Gaussian, σ = 3, one picture of 64 × 64", np.s_[16:-16, 16:-16], {
        "Abbe": run(small, "gaussian:sigma=3"),
        "scipy.ndimage": lambda: scipy.ndimage.gaussian_filter(small, 3),
        "OpenCV": lambda: cv2.GaussianBlur(small, (25, 25), 3),
        "scikit-image": lambda: skimage.filters.gaussian(small, 3, mode="reflect"),
    }


def check(contenders, inside):
    """Contenders must agree where borders do not matter."""
    reference = None
    for name, run in contenders.items():
        result = run().astype("f8")[inside]
        if reference is None:
            reference = result
        error = float(np.abs(result - reference).max()) / max(1.0, float(reference.max()))
        if error > 0.01:
            raise SystemExit(f"{name} differs by {error:.3g}")


def measure(contenders, seconds):
    """The fastest time of each, in seconds; they take turns."""
    best = dict.fromkeys(contenders, float("inf"))
    spent = dict.fromkeys(contenders, 0.0)
    rounds = 0
    while rounds < 3 or min(spent.values()) < seconds:
        for name, run in contenders.items():
            if rounds and spent[name] > PATIENCE * seconds:
                continue
            begin = time.process_time()
            run()
            elapsed = time.process_time() - begin
            best[name] = min(best[name], elapsed)
            spent[name] += elapsed
        rounds += 1
        if all(time_ > seconds for time_ in spent.values()):
            break
    return best


def time_threads(count, works):
    """Seconds by the clock until `count` threads of Python have done that many works together."""
    random = np.random.default_rng(12)
    plan = abbe.Plan((512, 512), "f4", "gaussian:sigma=10", device=DEVICE)
    pictures = [random.random((512, 512), dtype="f4") for _ in range(count)]
    results = [plan(picture) for picture in pictures]

    def work(i):
        for _ in range(works // count):
            plan(pictures[i], out=results[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def list_threads(most, works=320):
    """The lines of the section about threads."""
    counts = [count for count in (1, 2, 4, 8, 16, 32) if count <= most]
    best = {count: min(time_threads(count, works) for _ in range(3)) for count in counts}
    yield from ["", "## Threads of Python", "",
                f"{works} Gaussians of σ = 10 by one plan, whose runs take one processor each; every thread of Python "
                f"has its own pictures of 512 × 512. {os.cpu_count()} processors; seconds by the clock.", "",
                "| threads | seconds | pictures per second | |", "|---|---|---|---|"]
    for count, seconds in best.items():
        yield f"| {count} | {seconds:.3f} | {works / seconds:.0f} | **{best[1] / seconds:.2f} ×** |"


def processor():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--page")
    parser.add_argument("--threads", type=int, default=8, help="the most threads of Python")
    options = parser.parse_args()
    threads = list(list_threads(options.threads))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    load = os.getloadavg()[0]
    lines = [
        "# Results in Python", "", "This page was written by", "", "```sh", "scripts/bench-python", "```", "",
        f"on {processor()} ({os.cpu_count()} processors), Abbe {abbe.__version__} on its device `cpu` "
        f"({DEVICE.detail}), SciPy {scipy.__version__}, OpenCV {cv2.__version__}, scikit-image "
        f"{skimage.__version__}, PyTorch {torch.__version__}, NumPy {np.__version__}; load average before the start: "
        f"{load:.1f}." + (" Other programs used the machine and its caches: the figures are rough."
                          if load > 1 else ""), "",
        f"Pictures have {options.side} × {options.side} samples, float32 unless a line says otherwise. Everything runs "
        "on one thread, through the functions a Python program calls. Contenders run in turns and agree within 1 %; "
        "the shortest of their times counts, in milliseconds of the processor. × is the time of the contender divided "
        "by that of Abbe.", "", "| case | Abbe, ms | contender | its ms | |", "|---|---|---|---|---|"]
    for title, inside, contenders in list_cases(options.side):
        check(contenders, inside)
        best = measure(contenders, options.seconds)
        ours = best.pop("Abbe")
        for name, theirs in best.items():
            lines.append(f"| {title} | {1e3 * ours:.3g} | {name} | {1e3 * theirs:.3g} | **{theirs / ours:.2f} ×** |")
            print(lines[-1], flush=True)
    lines += threads
    print("\n".join(threads))
    if options.page:
        with open(options.page, "w") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
