/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals for the program that started the counter; the counted program cannot write them. */
#ifndef TL_REPORT_H
#define TL_REPORT_H

/* Takes the descriptor out of the program's reach. */
void tl_report_begin(void);

/* One line for the process, when it ends: the instructions of bucket 0 and those of all others since the last zero. */
void tl_report(void);

#endif
