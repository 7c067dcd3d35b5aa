"""HTML as lines of text."""

import time

import pytest

from service.text.html import html_to_text

PAGE = """<!DOCTYPE html><html><head><title>no</title><style>p { color: red }</style></head><body>
<nav><ul><li>Home</li><li>About</li></ul></nav>
<h1>The  bridge</h1><p>It is&nbsp;<b>clo</b>sed &amp; <i>will</i>
stay so.</p><div>one<br>two<br><br>three</div>
<ul><li>first<li>second</ul>
<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>
<pre>if x:
    y</pre><!-- <p>never</p> --><script>if (a < b) { "</p>" }</script>
<div style="display: none">pre<div>head</div>er</div>5 < 6<footer>about us</footer>
</body></html>"""
LINES = """The bridge

It is closed & will stay so.

one
two

three

first
second

a b
c d

if x:
    y

5 < 6"""


def test_blocks_are_lines_and_scripts_menus_and_hidden_parts_are_left_out() -> None:
    assert html_to_text(PAGE) == LINES


def test_quoted_blocks_are_marked_as_mail_marks_them() -> None:
    reply = """<div>Yes.</div><div class="gmail_quote">On Monday Ann wrote:<br><blockquote>Shall we?
      <blockquote>Lunch</blockquote></blockquote></div><div class="gmail_signature">Bob</div>"""
    assert html_to_text(reply).splitlines() == [
        *("Yes.", "On Monday Ann wrote:", "", "> Shall we?", ">", "> > Lunch", ">", "", "-- ", "Bob")
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("plain", "plain"),
        ("", ""),
        ("<p>unclosed", "unclosed"),
        ("a<br/>b", "a\nb"),
        ('<a title="x > y">link</a>', "link"),
        ("<p title='never closed>kept</p> <b>too</b>", "kept\n\ntoo"),
        ("<!-- never closed", ""),
        ("<script>never closed", ""),
        ("x<![if !mso]>y<![endif]>z", "xyz"),
        ("&#65;&#x42;&#99999999999999;&unknown; &lt;b&gt;", "AB\ufffd&unknown; <b>"),
        ("&#" + "9" * 9_000 + ";", "\ufffd"),
        ("</div></blockquote></p>x", "x"),
        ("<SCRIPT>a</sCript>b", "b"),
        ("<svg/>seen", "seen"),
    ],
)
def test_odd_markup(page: str, text: str) -> None:
    assert html_to_text(page) == text


@pytest.mark.parametrize(
    "unit",
    ["<div>", "<b><p>", "<blockquote>x", "<", "<a '", "<a \"'>", "<!--", "&", "&#9", "<script></script",
     "<table><tr><td>", " x=1", "<br>", "<p class='gmail", "<svg>", "<p display:none>"],
)  # fmt: skip
def test_the_time_is_in_proportion_to_the_length(unit: str) -> None:
    """Ten times as much takes about ten times as long; quadratic work would take a hundred times."""

    def seconds(page: str) -> float:
        taken = []
        for _ in range(3):
            begin = time.process_time()
            html_to_text(page)
            taken.append(time.process_time() - begin)
        return min(taken)

    few, many = seconds("<a " + unit * 2_000), seconds("<a " + unit * 20_000)
    assert many < 40 * few + 0.01
