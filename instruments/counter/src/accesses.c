/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "accesses.h"

/* A locked instruction loads what it then compares: VEX says both, the processor accesses memory once. */
static Bool was_loaded(const Accesses *accesses, const IRExpr *address) {
  return accesses->loaded != NULL && eqIRAtom(accesses->loaded, address);
}

void tl_accesses_add(Accesses *accesses, const IRStmt *statement) {
  Step *step = accesses->step;
  switch (statement->tag) {
  case Ist_WrTmp:
    if (statement->Ist.WrTmp.data->tag == Iex_Load) {
      step->loads++;
      accesses->loaded = statement->Ist.WrTmp.data->Iex.Load.addr;
    }
    break;
  case Ist_Store:
    step->stores++;
    break;
  case Ist_LoadG:
    step->loads++;
    break;
  case Ist_StoreG:
    step->stores++;
    break;
  case Ist_CAS:
    if (!was_loaded(accesses, statement->Ist.CAS.details->addr)) step->loads++;
    step->stores++;
    break;
  case Ist_Dirty: {
    IREffect effect = statement->Ist.Dirty.details->mFx;
    if (effect == Ifx_Read || effect == Ifx_Modify) step->loads++;
    if (effect == Ifx_Write || effect == Ifx_Modify) step->stores++;
    break;
  }
  default:
    break;
  }
}
