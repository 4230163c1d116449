# Prints each function of more than `most` lines of code, and each Rust function that is exempt from clippy's limit: FILE:FUNCTION
# and why. Blank lines and comments do not count. The formatters put the end of a function where it is found here: a brace alone,
# as far to the right as the function's first line.

FNR == 1 { depth = 0; is_exempt = 0 }
{
    code = $0
    sub(/^[ \t]+/, "", code)
    indent = substr($0, 1, length($0) - length(code))
    is_comment = code ~ /^(\/\/|\/\*|\*)/
}
/clippy::too_many_lines/ && !is_comment { is_exempt = 1 }
FILENAME ~ /\.rs$/ && code ~ /^(pub(\([a-z]+\))? |const |async |unsafe |extern ("C" )?)*fn / { begin("fn ") }
FILENAME ~ /\.go$/ && /^func / { begin("func (\\([^)]*\\) )?") }
FILENAME ~ /\.(c|h|cc|cpp)$/ && /^[A-Za-z_].*\(/ && !/[;=]$/ { depth = 0; begin("[^(]*[ *]") }
# What has no body, or all of it in its first line.
depth > 0 && !has_body[depth] {
    if (code ~ /[;}]$/) depth--
    else if (code ~ /\{$/) has_body[depth] = 1
    next
}
depth > 0 && code == "}" && indent == indents[depth] {
    if (lines[depth] > most) print names[depth] " has " lines[depth] " lines"
    depth--
    next
}
depth > 0 && code != "" && !is_comment { for (at = 1; at <= depth; at++) lines[at]++ }

function begin(before,   name) {
    depth++
    name = substr(code, match(code, before) + RLENGTH)
    sub(/[^A-Za-z0-9_].*/, "", name)
    names[depth] = FILENAME ":" name
    indents[depth] = indent
    lines[depth] = 0
    has_body[depth] = 0
    if (is_exempt) print names[depth] " is exempt from the limit"
    is_exempt = 0
}
