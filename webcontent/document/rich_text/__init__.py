"""Chosen blocks -> cleaned HTML. Formulas, code, notes, figures and players of the usual generators get one form each.

| construct | form in cleaned HTML |
|---|---|
| formula | `<span class="math inline">\\(x\\)</span>`, `<span class="math display">\\[x\\]</span>` |
| code | `<pre><code class="language-python">` with its white space |
| footnote | `<sup><a href="#fn-1">1</a></sup>` and `<li id="fn-1">` |
| player | a link to the video or recording in a paragraph of its own |
"""
