# SPDX-License-Identifier: Apache-2.0
"""documents.py: YAML documents by chance, most of them right and all of them odd.

A document is put together from what readers get wrong: quotes repeated, folds, indentation indicators,
blanks and tabs at the ends of lines, anchors, collections in brackets, comments, keys behind '?', markers,
CRLF. A third of them are then damaged in one or two places. The same seed gives the same documents.
"""
import random

WORDS = ["a", "b", "xy", "k", "true", "null", "~", "0", "12", "-1", "1.5", "0x1F", "no", "é", "\xa0", "日本",
         "a:b", "a#b", "-x", "?x", ":x", "--", "a-", "it's", "q\"q", "a,b", "x]", "%", "a&b", "*", "\\", "/", "...", "---", "-",
         "#", ":", "?", "@", "`", "|", ">", "!", "&", "{", "}", "[", "\\n", "<<", "=", "2026-01-16", "1_0", "010"]
PLAIN = ["a", "b", "xy", "k", "true", "null", "~", "0", "12", "1.5", "no", "é", "日本", "a:b", "a#b", "-x", "?x", ":x", "--",
         "it's", "q\"q", "a-", "\\", "/", "x*", "x&y", "a!", "%x"]
ESCAPES = ["\\n", "\\t", "\\\\", "\\\"", "\\ ", "\\/", "\\x41", "\\u00e9", "\\U0001F600", "\\e", "\\0", "\\_", "\\N",
           "\\L", "\\ud83d\\ude00", "\\a", "\\\t", "\\q", "\\u12"]
DAMAGE = [" ", "  ", "\t", "\n", "\n\n", " \n", "'", "\"", "''", ":", ": ", " :", "-", "- ", "?", "? ", "#", " #", ",", "[", "]",
          "{", "}", "&a", "*a", "|", ">", "|2", ">-", "|+\n", "\\", "---\n", "\n---\n", "...\n", "\n...\n", "a", "!", "%", "\r",
          "\x85", "\u2028", "\x07", "\ufeff", "~", "'a'", "\"b\"", "{}", "[]"]


class Maker:
    """Makes one document after another."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.pick = self.chance.choice

    def odds(self, of):
        """True once in so many times."""
        return self.chance.random() * of < 1

    def blanks(self):
        """What may stand between the parts of a line."""
        return self.pick([" ", " ", " ", " ", "  ", "\t", " \t", "   "])

    def end(self):
        """The end of a line, and lines that say nothing."""
        text = ("#c" if self.odds(60) else self.pick(["", "", "", "", "", "", " ", "  ", " # c", "\t", " #", "\t# 'c: ["])) + "\n"
        while self.odds(9):
            text += self.pick(["\n", "  \n", "# c\n", "   # c\n", "\t\n", "\t# c\n", "      \n"])
        return text

    def folds(self, column):
        """A line end inside a text, to a line at that column or deeper."""
        text = self.pick(["", "", "", " ", "\t", "  "]) + "\n"
        while self.odds(3):
            text += self.pick(["", "", " ", "    ", "\t", " \t"]) + "\n"
        return text + " " * (column + self.pick([0, 0, 0, 1, 2])) + self.pick(["", "", "", "", "\t", " \t"])

    def plain(self, column, flow, many=True):
        """A text without quotes."""
        text = self.pick(PLAIN)
        for _ in range(self.pick([0, 0, 0, 1, 1, 2, 3])):
            if many and self.odds(3):
                text += self.folds(column) + self.pick(PLAIN + ["- x", "# x", "'y'", "*x", "&x", "|", "!x"])
            else:
                text += self.pick([" ", " ", "  ", "\t"]) + self.pick(PLAIN if flow else WORDS)
        return text

    def quoted(self, column, many=True):
        """A text in quotes of one or the other sort."""
        quote = self.pick("'\"")
        text = ""
        for _ in range(self.pick([0, 1, 1, 2, 3, 4, 6])):
            how = self.chance.randrange(10)
            if how < 2:
                text += "''" * self.pick([1, 1, 2, 3, 4]) if quote == "'" else self.pick(ESCAPES)
            elif how < 4 and many:
                text += ("\\" if quote == '"' and self.odds(3) else "") + self.folds(column)
            elif how < 6:
                text += self.pick([" ", "  ", "\t", "   "])
            else:
                text += self.pick(WORDS).replace("'", "''" if quote == "'" else "'").replace(
                    '"', '\\"' if quote == '"' else '"').replace("\\", "\\\\" if quote == '"' and not self.odds(40) else "\\")
        return quote + text + quote

    def block(self, parent):
        """A literal or folded text inside a list or map at that column."""
        indent = max(parent, 0) + self.pick([1, 1, 2, 2, 3, 4])
        header = self.pick("|>") + self.pick(["", "", "", "-", "+"])
        if self.odds(3):
            digit = str(indent - max(parent, 0))
            header = header[0] + (digit + header[1:] if self.odds(2) else header[1:] + digit)
        text = self.pick(["", "", " "]) + header + self.pick(["", "", "", " ", " # c", "\t", "\t#c"]) + "\n"
        for _ in range(self.pick([0, 1, 1, 2, 3, 4, 5])):
            how = self.chance.randrange(12)
            if how < 2:
                text += self.pick(["", "", " " * indent, " ", " " * (indent + 2), " " * indent + " \t", "\t"]) + "\n"
            elif how < 4:
                text += " " * indent + self.pick([" ", "  ", "\t", " \t"]) + self.pick(WORDS) + "\n"
            elif how == 4:
                text += " " * indent + self.pick(["# c", "- x", "a: b", "---", "'x''y'", "\\n"]) + self.pick(["", " ", "\t"]) + "\n"
            else:
                text += " " * indent + self.pick(WORDS) + self.pick(["", "", " ", "  b"]) + "\n"
        while self.odds(6):
            text += self.pick(["\n", "\n", " \n", " # c\n", "# c\n", "#\n"])
        return text

    def gap(self, column):
        """What may stand between the parts of a collection in brackets."""
        if self.odds(6):
            return self.pick(["", " ", " # c", "\t"]) + self.folds(column)
        return self.pick(["", "", "", " ", " ", "\t"])

    def flow_text(self, column):
        """A text, or nothing, in brackets."""
        how = self.chance.randrange(10)
        if how < 5:
            return self.plain(column, True)
        return self.quoted(column) if how < 9 else self.pick(["*a", "*b ", "", "-", "?", "&a x", "&a"])

    def flow(self, column, depth):
        """A list or a map in brackets."""
        deep = depth < 3 and self.odds(3)
        items = []
        opens, closes = self.pick(["[]", "{}"])
        for _ in range(self.pick([0, 1, 1, 2, 2, 3])):
            value = self.flow(column, depth + 1) if deep and self.odds(2) else self.flow_text(column)
            if opens == "{" or self.odds(4):
                key = self.pick(["? ", ""]) if self.odds(6) else ""
                key += self.quoted(column, self.odds(4)) if self.odds(3) else self.plain(column, True, self.odds(4))
                colon = self.gap(column) + ":" + self.pick([" ", " ", " ", "", "\t", "\n" + " " * column])
                value = key if self.odds(8) else key + colon + value
            items.append(self.gap(column) + value + self.gap(column))
        text = opens + ",".join(items) + ("," if items and self.odds(6) else "") + self.gap(column)
        if self.odds(12):
            text += "\n" + " " * max(column - 1, 0)
        return text + closes

    def key(self, column):
        """A key in a line of its own."""
        if self.odds(4):
            return self.quoted(column + 1, self.odds(20)) + self.pick(["", "", " ", "\t"])
        return self.pick(["a", "b", "c", "k", "é", "x y", "12", "a-b", "true"]) + str(self.chance.randrange(9)) + self.pick(
            ["", "", "", " ", "\t"]) if not self.odds(20) else self.plain(column + 1, False, self.odds(20))

    def value(self, parent, depth, of_list):
        """What stands behind the sign of a list or a map in that column, to the line's end."""
        how = self.chance.randrange(20)
        deeper = parent + 1
        if self.odds(12):
            anchor = self.pick([" &a", " &b", " &c1"])
            return anchor + (self.value(parent, depth, False) if self.odds(2) else self.end() + self.nest(parent, depth, of_list))
        if how < 4:
            return self.blanks() + self.plain(deeper, False) + self.end()
        if how < 8:
            return self.blanks() + self.quoted(deeper) + self.end()
        if how < 11:
            return self.block(parent)
        if how < 13:
            return self.blanks() + self.flow(deeper, depth) + self.end()
        if how < 14:
            return self.pick(["", " *a", " *b", "", " ~"]) + self.end()
        if how < 16 and depth < 4 and of_list:
            gap = self.pick([" ", " ", "  ", "   "]) if not self.odds(20) else "\t"
            return gap + self.collection(parent + 1 + len(gap), depth + 1)
        if how < 19 and depth < 4:
            return self.end() + self.nest(parent, depth, of_list)
        return self.end() + " " * (deeper + self.pick([0, 1])) + self.pick(["", "", "\t"]) + self.pick(
            [self.plain(deeper, False), self.quoted(deeper), self.flow(deeper, depth)]) + self.end()

    def nest(self, parent, depth, of_list):
        """A list or map in the lines below."""
        column = parent + self.pick([1, 1, 2, 2, 3])
        if not of_list and parent >= 0 and self.odds(4):
            return " " * parent + self.collection(parent, depth + 1, "list")
        return " " * column + self.collection(column, depth + 1)

    def collection(self, column, depth, kind=None):
        """A list or a map at that column; its first line has been indented already."""
        kind = kind or self.pick(["list", "map", "map"])
        parts = []
        for _ in range(self.pick([1, 1, 2, 2, 3, 4])):
            if kind == "list":
                parts.append("-" + self.value(column, depth, True))
            elif self.odds(15):
                part = "?" + self.value(column, depth + 2, True)
                parts.append(part + (" " * column + ":" + self.value(column, depth, True) if not self.odds(5) else ""))
            else:
                parts.append(self.key(column) + ":" + self.value(column, depth, False))
        return (" " * column).join(parts)

    def damage(self, text):
        """The text with something put in, left out or written twice."""
        at = self.chance.randrange(len(text) + 1)
        how = self.chance.randrange(5)
        if how < 2:
            return text[:at] + self.pick(DAMAGE) + text[at:]
        if how == 2:
            return text[:at] + text[at + self.pick([1, 1, 2, 3]):]
        if how == 3:
            return text[:at] + self.pick(DAMAGE) + text[at + 1:]
        lines = text.split("\n")
        line = self.chance.randrange(len(lines))
        lines[line] = self.pick([" " + lines[line], lines[line][1:], "\t" + lines[line], lines[line] + "\n" + lines[line]])
        return "\n".join(lines)

    def document(self):
        """One document, as bytes."""
        text = ""
        if self.odds(25):
            text += self.pick(["\ufeff", "# c\n", "\n", "%YAML 1.2\n---\n", "%TAG ! x\n--- # c\n", "...\n", " \n"])
        how = self.chance.randrange(12)
        begin = self.pick(["---", "---", "--- # c\n", "---\n"]) if self.odds(5) else ""
        if how < 9:
            text += (begin + "\n" if begin and begin[-1] != "\n" else begin) + self.collection(0, 0)
        elif begin == "---":
            text += begin + self.value(-1, 0, False)
        else:
            text += begin + self.value(-1, 0, False).lstrip(" ")
        if self.odds(20):
            text += self.pick(["...\n", "---\n", "... # c\n", "--- a\n", "...\n...\n", "# c", "%YAML 1.2\n"])
        if not self.odds(4):
            text = text.replace("\t", " ")
        for _ in range(self.pick([0, 0, 0, 0, 1, 2])):
            text = self.damage(text)
        if self.odds(15):
            text = text.replace("\n", "\r\n")
        if self.odds(12):
            text = text.rstrip("\n")
        return text.encode("utf-8", "replace")
