"""The glossary is what the architecture page defines, and what it links is there."""

from tools.glossary_page import MORE, PAGE, page, rows


def test_the_page_is_what_is_written():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tools.glossary_page"


def test_links_go_from_words_to_pages():
    assert MORE.keys() <= {word.partition(",")[0] for word, _ in rows()}
    assert all((PAGE.parent / place).is_file() for place in MORE.values())
