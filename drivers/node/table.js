// Objects that C holds on to, by number.
"use strict";

/** Keeps objects that C holds on to, by number. */
class Table {
  #rows = [undefined];
  #free = [];

  put(row) {
    const place = this.#free.pop() ?? this.#rows.length;
    this.#rows[place] = row;
    return place;
  }

  at(place) {
    return this.#rows[place];
  }

  /** Forgets an object and returns it. */
  take(place) {
    const row = this.#rows[place];
    this.#rows[place] = undefined;
    this.#free.push(place);
    return row;
  }
}

module.exports = { Table };
