# Lines of Markdown that are longer than 150 columns, and cells of tables with more than 25 words. Code is not read, nor what a program writes.

FNR == 1 { is_code = is_written = 0 }
/^ *(```|~~~)/ { is_code = !is_code; next }
/^<!-- .*: written by / { is_written = 1 }
/^<!-- end of / { is_written = 0 }
is_code || is_written { next }
/^ *\|/ {
    n = split($0, cells, /[|]/)
    for (i = 2; i < n; i++) {
        words = split(cells[i], word, /[ \t]+/) - 2
        if (words > 25) report("a cell of " words " words", "at most 25")
    }
    next
}
$0 !~ /^<!--|^!?\[[^]]*\]\([^)]*\)$|^    / {
    gsub(/[\200-\277]/, "")
    if (length($0) > 150) report("a line of " length($0) " characters", "at most 150")
}

function report(what, limit) { print "fail\t" FILENAME ":" FNR "\t" what "\t" limit }
