# Finds words of the list in what people read: Markdown outside of code blocks, and of sources comments and texts in quotes.
# What is given as `list` is tests/words/list. Prints `fail` or `warn`, the place, the word and the suggestion.

BEGIN {
    while ((getline line < list) > 0) {
        if (line ~ /^#/ || line == "") continue
        split(line, part, "\t")
        n++
        severity[n] = part[1]
        pattern[n] = part[2]
        gsub(/\\[<>]/, "", pattern[n])
        begins[n] = part[2] ~ /^\\</
        suggestion[n] = part[3]
    }
}

FNR == 1 { is_code = 0 }
FILENAME ~ /\.md$/ && /^ *(```|~~~)/ { is_code = !is_code; next }
FILENAME ~ /\.md$/ && !is_code { look($0); next }
FILENAME ~ /\.md$/ { next }
{ look(read_by_people($0)) }

# Comments and texts in quotes of a line of source.
function read_by_people(line,   text, rest) {
    rest = line
    text = ""
    if (match(rest, /(^|[ \t])(\/\/|#|\*) ?.*/)) {
        text = substr(rest, RSTART)
        rest = substr(rest, 1, RSTART - 1)
    }
    while (match(rest, /"[^"]*"/)) {
        text = text " " substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
    }
    return text
}

function look(text,   at, low, before, after, i) {
    if (text == "") return
    low = tolower(text)
    for (i = 1; i <= n; i++) {
        if (!match(low, pattern[i])) continue
        before = RSTART == 1 ? " " : substr(low, RSTART - 1, 1)
        after = substr(low, RSTART + RLENGTH, 1)
        if (begins[i] && before ~ /[a-z0-9_-]/ || after ~ /[a-z0-9_]/) continue
        print severity[i] "\t" FILENAME ":" FNR "\t" substr(text, RSTART, RLENGTH) "\t" suggestion[i]
    }
}
