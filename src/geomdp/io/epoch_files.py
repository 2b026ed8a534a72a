"""Recordings of EEG and MEG through MNE, if it is installed: an epoch, or a window, is a record.

A plan with ``--signals KxT`` says how many channels and samples a record has, and makes a
covariance of it. A file of epochs (FIF) holds them; a continuous recording (raw FIF, EDF, BDF) is
cut into windows of T samples one after the other, what is left at its end counting for nothing, or,
where ``--by event`` asks for it, into one window from the start of each annotation on.
"""

import struct
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import FORMATS, FileParts, Format, alike
from geomdp.io.tables import Choices, Raw, Texts, chosen, needs_extra
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.statistics.base import Statistic

#: Column with the name of each epoch's event, or of each window's annotation.
EVENT = "event"
_FIF = ".fif"
#: Tags of a FIF file: kind, type, bytes, where the next one lies.
_TAG = struct.Struct(">iIii")
#: Kinds of tags that tell the number or the name of a file in which a recording goes on.
_NAMES_FILES = (117, 118)


def read_epochs(path: Path, choices: Choices, shape: tuple[int, ...]) -> Raw:
    """Read signals (n, channels, samples) of the channels chosen, or of all that are data."""
    with read_as(path, "recording"):
        signals, names, events = _recording(path, choices, shape[-1])
    wanted = chosen((EVENT, *names), choices, path.name)
    places = [names.index(name) for name in wanted if name in names]
    found = signals[:, places]
    if found.shape[1:] != shape:
        raise InvalidRecordError(
            f"{path.name} has {found.shape[1]} channels and {found.shape[2]} samples where the "
            f"plan says {' x '.join(map(str, shape))}; choose channels with --column, and crop or "
            "resample epochs."
        )
    columns = {EVENT: events} if EVENT in choices.keep else {}
    return Raw(found, tuple(names[place] for place in places), columns)


def _recording(
    path: Path, choices: Choices, samples: int
) -> tuple[NDArray[np.float64], list[str], Texts]:
    """Return signals of all channels that are data, their names, and the name of each event."""
    mne = _mne()
    if path.name.lower().endswith(_FIF):
        _require_whole(path)
    with warnings.catch_warnings(), mne.utils.use_log_level("ERROR"):
        warnings.simplefilter("ignore")  # of names of files, and of what a header leaves out
        if path.name.lower().endswith(("-epo.fif", "_epo.fif")):
            epochs = mne.read_epochs(path, preload=False)
            require_plausible(path, 8 * len(epochs.events) * len(epochs.ch_names) * samples)
            names = _data_channels(mne, epochs)
            called = {code: name for name, code in epochs.event_id.items()}
            events = [called.get(code, "") for code in epochs.events[:, 2].tolist()]
            return epochs.get_data(picks=names), names, np.array(events, dtype=str)
        raw = mne.io.read_raw(path, preload=False)
        require_plausible(path, 8 * raw.n_times * len(raw.ch_names))
        names = _data_channels(mne, raw)
        starts, events = _windows(raw, samples, EVENT in choices.keep)
        whole = raw.get_data(picks=names)
    windows = [whole[:, start : start + samples] for start in starts]
    return np.stack(windows), names, np.array(events, dtype=str)


def _windows(raw: Any, samples: int, by_event: bool) -> tuple[list[int], list[str]]:
    """Return where windows begin, and what each is called."""
    last = raw.n_times - samples
    if by_event:
        rate = raw.info["sfreq"]
        begun = zip(raw.annotations.onset.tolist(), raw.annotations.description, strict=True)
        # Onsets count from the start of the measurement, samples from the first that is kept.
        placed = [(round((onset - raw.first_time) * rate), str(name)) for onset, name in begun]
        found = [(start, name) for start, name in placed if 0 <= start <= last]
    else:
        found = [(start, "") for start in range(0, last + 1, samples)]
    if not found:
        what = "annotation with so many samples after it" if by_event else "window of so many"
        raise InvalidRecordError(
            f"{raw.filenames[0].name} has {raw.n_times} samples and no {what}: the plan says "
            f"{samples}."
        )
    return [start for start, _ in found], [name for _, name in found]


def _data_channels(mne: Any, recording: Any) -> list[str]:
    """Return the names of the channels that are signals: no clocks, triggers or eyes."""
    picked = mne.pick_types(recording.info, meg=True, eeg=True, seeg=True, ecog=True, exclude=())
    return [recording.ch_names[place] for place in picked]


def _require_whole(path: Path) -> None:
    """Refuse a FIF file that announces more than it holds, or names others to be opened."""
    size, place = path.stat().st_size, 0
    with path.open("rb") as stream:
        while place + _TAG.size <= size:
            stream.seek(place)
            kind, _, held, following = _TAG.unpack(stream.read(_TAG.size))
            if held < 0 or place + _TAG.size + held > size:
                raise ValueError(f"{held} bytes are announced behind byte {place} of {size}")
            if kind in _NAMES_FILES:
                raise InvalidRecordError(
                    f"{path.name} goes on in another file; save the recording as one."
                )
            if following < 0:
                return
            place = max(following, place + _TAG.size + held)


def _mne() -> Any:
    try:
        import mne
    except ImportError:
        raise needs_extra("mne", "eeg") from None
    return mne


class Epochs(Format):
    """Epochs, or windows of a recording; a value is a covariance, in ``value.npy``."""

    endings = (_FIF, ".edf", ".bdf")

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        shape = choices.raw_shape(statistic.record_shape).shape
        if choices.reading is None or len(shape) != 2:
            raise InvalidRecordError(
                f"{path.name} is a recording: plan with --signals, channels x samples, such as "
                "--signals 64x256, to make a covariance of each epoch."
            )
        return read_epochs(path, choices, shape)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """All records together: a recording is one person's."""
        found = self.read(path, choices, statistic)
        example = replace(found, values=alike(len(found.values), found.values[0]))
        return FileParts(
            (len(found.values),), partial(_whole, self, path, choices, statistic), example
        )


def _whole(form: Epochs, path: Path, choices: Choices, statistic: Statistic, number: int) -> Raw:
    """Read the only part of a recording: on a worker."""
    return form.read(path, choices, statistic)


FORMATS.register("epochs", Epochs())
