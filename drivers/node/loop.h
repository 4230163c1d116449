/* The interface between Node's event loop and the kit. */
#ifndef NODE_LOOP_H
#define NODE_LOOP_H

#include <node_api.h>

/* Has the kit begin in the loop's next turn. `perform` does the call that `shared` describes, at once or later;
 * `ended` is told the kit's exit status. */
void loop_begin(napi_env env, napi_value perform, napi_value ended);

#endif
