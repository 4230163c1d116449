# Finds words of the list in what people read: Markdown outside of code blocks, and of sources comments and texts in quotes.
# What is given as `list` is tests/words/list. Prints `fail` or `warn`, the place, the word and the suggestion.
# Not read: code in backticks, expressions in braces within a text in quotes, and a text of one word, which is a name.

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

FNR == 1 { is_code = is_text = 0 }
FILENAME ~ /\.md$/ && /^ *(```|~~~)/ { is_code = !is_code; next }
FILENAME ~ /\.md$/ && !is_code { look($0); next }
FILENAME ~ /\.md$/ { next }
{ look(read_by_people($0)) }

# Comments and texts in quotes of a line of source. A text that ends with a backslash continues in the next line.
function read_by_people(line,   text, comment, rest) {
    rest = line
    gsub(/\\"|'"'/, "'", rest)
    if (!is_text && match(rest, /^[ \t]*\*( .*)?$|(^|[ \t])(\/\/|#) ?.*/)) {
        comment = substr(rest, RSTART)
        rest = substr(rest, 1, RSTART - 1)
    }
    if (is_text) {
        sub(/^ */, "", rest)
        rest = "\" " rest
    }
    while (match(rest, /"[^"]*"/)) {
        text = text quoted(substr(rest, RSTART + 1, RLENGTH - 2))
        rest = substr(rest, RSTART + RLENGTH)
    }
    is_text = match(rest, /"[^"]*\\$/)
    if (is_text) text = text quoted(substr(rest, RSTART + 1, RLENGTH - 2))
    return text " " comment
}

function quoted(text) {
    if (text !~ /[^ ] +[^ ]/) return ""
    gsub(/[{][^{}]*[}]/, "{}", text)
    return " " text
}

function look(text,   i, from, low, before, after) {
    gsub(/`[^`]*`/, "``", text)
    for (i = 1; i <= n; i++) {
        low = tolower(text)
        for (from = 1; match(low, pattern[i]); from += RSTART + RLENGTH - 1) {
            before = RSTART == 1 ? " " : substr(low, RSTART - 1, 1)
            after = substr(low, RSTART + RLENGTH, 1)
            if (!(begins[i] && before ~ /[a-z0-9_.\/-]/ || after ~ /[a-z0-9_]/)) {
                print severity[i] "\t" FILENAME ":" FNR "\t" substr(text, from + RSTART - 1, RLENGTH) "\t" suggestion[i]
                break
            }
            low = substr(low, RSTART + RLENGTH)
        }
    }
}
