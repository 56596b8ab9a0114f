#!/usr/bin/env python3
"""Pictures by the rules of the house. Usage: python3 tests/house/pictures.py FILE.svg... prints each breach; the exit
status is 1 if there is one.

1. An SVG with its size, on a ground of white, so that a page may be dark.
2. Letters of 14 pixels and more: half the size leaves them readable. No text leaves the picture or lies over another.
3. Colours: Okabe and Ito's, tints of their blue, and greys; a number is never NaN.
4. A legend's box hides no mark, no end of a line and no text of others.
5. A picture with words has one title, a frame two numbers or more below it, and below them the name of the axis;
   frames of the same sides may share that.

Widths of texts are guessed, as in DejaVu Sans, the widest of the fonts that pictures name."""
import re
import sys
import xml.etree.ElementTree

COLOURS = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",  # Okabe and Ito
           "#a6cfe6", "#5fabd4", "#2a8cc4"}  # tints of the first
LEAST_SIZE = 14


def numbers(text):
    return [float(word) for word in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", text)]


def width(text):
    """In units of the height."""
    narrow, wide = "ijl.,:;|!'()[]tfrI -/\u2070\u00b9\u00b2\u00b3\u2074", "mwMW%@\u2192\u221e\u2212+=<>~"
    return sum(0.4 if letter in narrow else 0.9 if letter in wide else 0.63 for letter in text)


def path_ends(data):
    """Where the strokes of a path begin and end: M, L, H, V and their small letters."""
    x = y = 0.0
    ends = []
    for command, rest in re.findall(r"([MLHVZmlhvz])([^MLHVZmlhvz]*)", data):
        values = numbers(rest)
        if command in "zZ":
            continue
        if command in "hHvV":
            for value in values:
                along = value if command in "HV" else value + (x if command == "h" else y)
                x, y = (along, y) if command in "hH" else (x, along)
                ends.append((x, y))
        else:
            for k in range(0, len(values) - 1, 2):
                x, y = (values[k], values[k + 1]) if command in "ML" else (x + values[k], y + values[k + 1])
                ends.append((x, y))
    return ends


class Picture:
    def __init__(self, file):
        self.file, self.faults = file, []
        self.texts, self.boxes, self.marks = [], [], []  # (box, text, rotated), (box, attributes), points
        with open(file, encoding="utf-8") as stream:
            source = stream.read()
        self.root = xml.etree.ElementTree.fromstring(source)
        style = dict(re.findall(r"\.(\w+)\{([^}]*)\}", source))
        self.classes = {name: dict(re.findall(r"([\w-]+):([^;]+)", rules)) for name, rules in style.items()}
        if re.search(r"[^a-z](nan|inf)[^a-z]", re.sub(r">[^<]*<", "><", source), re.I):
            self.fault("a number is NaN or infinite")
        self.width, self.height = (float(self.root.get(name, "0")) for name in ("width", "height"))
        self.walk(self.root, (0.0, 0.0, False), 15.0, "start", True)

    def fault(self, words):
        self.faults.append("%s: %s" % (self.file, words))

    def walk(self, element, place, size, anchor, seen):
        name = element.tag.split("}")[-1]
        attributes = {**self.classes.get(element.get("class"), {}), **element.attrib}
        size = float(attributes.get("font-size", "%g" % size).replace("px", ""))
        anchor = attributes.get("text-anchor", anchor)
        for paint in ("fill", "stroke"):
            colour = attributes.get(paint, "none").lower()
            grey = re.fullmatch(r"#(..)\1\1", colour)
            if colour != "none" and not grey and colour not in COLOURS:
                self.fault("%s is no colour of the house" % colour)
        if element.get("transform"):
            shift = numbers(re.search(r"translate\(([^)]*)", element.get("transform")).group(1))
            place = (place[0] + shift[0], place[1] + shift[1], "rotate(-90)" in element.get("transform"))
        if name in ("clipPath", "defs") or (name == "svg" and element is not self.root):
            seen = False  # a map of squares in whole units
        if name == "text" and seen:
            self.text(element, place, size, anchor, attributes.get("font-weight") == "bold")
        elif name == "rect" and seen and "%" not in element.get("width"):
            x, y, width, height = (float(element.get(part, "0")) for part in ("x", "y", "width", "height"))
            self.boxes.append(((x, y, x + width, y + height), attributes))
        elif name == "circle" and seen:
            self.marks.append((float(element.get("cx")), float(element.get("cy"))))
        elif name in ("path", "polyline") and seen and attributes.get("stroke") not in ("#dddddd", "#efefef"):
            points = numbers(element.get("points", ""))
            self.marks += path_ends(element.get("d", "")) + list(zip(points[::2], points[1::2]))
        for child in element:
            self.walk(child, place, size, anchor, seen)

    def text(self, element, place, size, anchor, bold):
        words = element.text or ""
        x, y = float(element.get("x", "0")), float(element.get("y", "0"))
        wide = width(words) * size * (1.1 if bold else 1)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        if place[2]:  # upwards
            box = (place[0] + y - 0.75 * size, place[1] - left - wide, place[0] + y + 0.2 * size, place[1] - left)
        else:
            box = (place[0] + left, place[1] + y - 0.75 * size, place[0] + left + wide, place[1] + y + 0.2 * size)
        if words.strip():
            self.texts.append((box, words, place[2], size))
        if size < LEAST_SIZE:
            self.fault('"%s" is %g pixels high' % (words, size))

    def check(self):
        view = numbers(self.root.get("viewBox", ""))
        if len(view) != 4 or not self.width > 0 or abs(view[2] * self.height - view[3] * self.width) > 1:
            self.fault("width, height and viewBox differ")
        ground = next((e for e in self.root if e.tag.endswith("rect")), None)
        covers = ground is not None and (ground.get("width") == "100%" or (
            float(ground.get("width")) == self.width and float(ground.get("height")) == self.height))
        if not covers or ground.get("fill") != "#ffffff":
            self.fault("no white ground")
        for k, (box, words, _, _) in enumerate(self.texts):
            if box[0] < 0 or box[1] < 0 or box[2] > self.width or box[3] > self.height:
                self.fault('"%s" leaves the picture' % words)
            for other, its, _, _ in self.texts[:k]:
                if overlap(box, other):
                    self.fault('"%s" lies over "%s"' % (words, its))
        frames = [box for box, attributes in self.boxes
                  if attributes.get("fill") == "none" and attributes.get("stroke") == "#777777"]
        for box in frames:
            self.frame(box, frames)
        for box, attributes in self.boxes:
            if "fill-opacity" in attributes:
                self.legend(box)
        titles = [words for _, words, _, size in self.texts if size >= 19]
        if self.texts and len(titles) != 1:
            self.fault("%d titles" % len(titles))
        return self.faults

    def legend(self, box):
        # its own samples of lines and marks are in columns of their own, at the height of its texts
        rows = [(inner[1] + inner[3]) / 2 for inner, _, _, _ in self.texts if inside(inner, box)]
        for words_box, words, _, _ in self.texts:
            if overlap(words_box, box) and not inside(words_box, box):
                self.fault('the legend hides "%s"' % words)
        for x, y in self.marks:
            own = box[0] + 7 < x < box[0] + 36 and any(abs(y - row) < 6 for row in rows)
            if box[0] < x < box[2] and box[1] < y < box[3] and not own:
                self.fault("the legend hides a mark at (%g, %g)" % (x, y))
                break

    def below(self, box, least, most):
        return [words for inner, words, rotated, _ in self.texts
                if not rotated and box[3] + least < inner[3] <= box[3] + most
                and box[0] - 30 < (inner[0] + inner[2]) / 2 < box[2] + 30]

    def frame(self, box, frames):
        if len(self.below(box, 0, 28)) < 2:
            self.fault("a frame at (%g, %g) has not two numbers below it" % box[:2])
        if not any(self.below(other, 28, 55) for other in frames if (other[0], other[2]) == (box[0], box[2])):
            self.fault("a frame at (%g, %g) has no name below it or below another with its sides" % box[:2])


def overlap(one, two):
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def inside(one, two):
    return two[0] <= one[0] and one[2] <= two[2] and two[1] <= one[1] and one[3] <= two[3]


def main():
    bad = 0
    for file in sys.argv[1:]:
        try:
            faults = Picture(file).check()
        except (xml.etree.ElementTree.ParseError, OSError, ValueError) as error:
            faults = ["%s: %s" % (file, error)]
        bad += len(faults)
        print("".join(fault + "\n" for fault in faults), end="")
    return bad > 0 or len(sys.argv) < 2


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
