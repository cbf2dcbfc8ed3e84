"use strict";
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const shown = (cell) => getComputedStyle(cell).display !== "none";
  const number = (text) => {
    const found = parseFloat(text.replace("\u2212", "-").replace(/[,<>+]/g, ""));
    return Number.isNaN(found) ? -Infinity : found;
  };

  // Tables that sort by the column whose head is pressed.
  const sortBy = (table, head) => {
    // Numbers are sorted from the largest first, texts from A.
    const numeric = head.classList.contains("num");
    const now = head.getAttribute("aria-sort") ?? (numeric ? "ascending" : "descending");
    const up = now === "descending";
    const at = [...head.parentNode.cells].indexOf(head);
    const key = (row) => row.cells[at].textContent.trim();
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const order = numeric
        ? number(key(a)) - number(key(b)) || 0
        : key(a).localeCompare(key(b), undefined, { numeric: true });
      return up ? order : -order;
    });
    all("th", head.parentNode).forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].append(...rows);
  };
  all("table.sortable").forEach((table) => {
    all("thead th:not([data-plain])", table).forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head));
      head.append(button);
    });
  });

  // Which features are shown.
  const chooser = document.querySelector(".chooser");
  const figures = all("figure.curve");
  const TOP = 6;
  const choose = (value) => {
    figures.forEach((figure) => {
      const alone = figure.dataset.feature === value;
      const top = value === "top" && Number(figure.dataset.rank) < TOP;
      figure.classList.toggle("away", !(alone || top || value === "all"));
      figure.classList.toggle("alone", alone);
    });
  };
  if (chooser && figures.length > 1) {
    const select = chooser.querySelector("select");
    chooser.hidden = false;
    select.addEventListener("change", () => choose(select.value));
    choose(select.value);
  }

  // Pictures that say what is under the pointer, or under the mark that arrow keys move.
  const SVG = "http://www.w3.org/2000/svg";
  const band = (places, at) => {
    for (let k = 0; k + 1 < places.length; k += 1) {
      const [low, high] = [places[k], places[k + 1]].sort((a, b) => a - b);
      if (at >= low && at < high) return k;
    }
    return -1;
  };
  const numbers = (text) => text.split(" ").map(Number);
  const mark = (plot) => {
    const box = document.createElementNS(SVG, "rect");
    box.setAttribute("class", "mark");
    plot.append(box);
    return box;
  };
  const place = (box, x0, x1, y, height) => {
    box.setAttribute("x", `${Math.min(x0, x1) / 10}%`);
    box.setAttribute("width", `${Math.max(Math.abs(x1 - x0) / 10, 0.3)}%`);
    box.setAttribute("y", y);
    box.setAttribute("height", height);
  };
  const visible = (row) => [...row.cells].filter(shown).map((cell) => cell.textContent.trim());

  const follow = (plot, say, steps) => {
    const readout = plot.closest("figure").querySelector(".readout");
    const box = mark(plot);
    let at = steps.first;
    const show = (next) => {
      const text = say(next, box);
      if (text === null) return;
      at = next;
      readout.textContent = text;
    };
    readout.textContent = "Point at the picture, or use Tab and the arrow keys, to read numbers.";
    plot.setAttribute("tabindex", "0");
    plot.addEventListener("pointermove", (event) => {
      const area = plot.getBoundingClientRect();
      const next = steps.find(
        (1000 * (event.clientX - area.left)) / area.width, event.clientY - area.top);
      if (next) show(next);
    });
    plot.addEventListener("focus", () => show(at));
    plot.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      if (!(event.key in move)) return;
      event.preventDefault();
      show([at[0] + move[event.key][0], at[1] + move[event.key][1]]);
    });
  };

  all("figure.curve svg.plot").forEach((plot) => {
    const places = numbers(plot.dataset.x);
    const rows = all("tbody tr:not(.missing)", plot.closest("figure"));
    const heads = all("thead th", plot.closest("figure"));
    const say = ([k], box) => {
      if (k < 0 || k >= rows.length) return null;
      place(box, places[k], places[k + 1], 0, Number(plot.getAttribute("height")) - 22);
      const [from, to, ...rest] = visible(rows[k]);
      const names = heads.filter(shown).map((head) => head.textContent).slice(2);
      return `${from} to ${to}: ${rest.map((text, n) => `${names[n]} ${text}`).join(", ")}`;
    };
    const first = places.findIndex((value, k) => places[k + 1] > value);
    follow(plot, say, {
      first: [Math.max(first, 0), 0],
      find: (x) => { const k = band(places, x); return k < 0 ? null : [k, 0]; },
    });
  });

  all("figure.grid-map svg.plot").forEach((plot) => {
    const [xs, ys] = [numbers(plot.dataset.x), numbers(plot.dataset.y)];
    const [top, height] = [Number(plot.dataset.top), Number(plot.dataset.height)];
    const figure = plot.closest("figure");
    const say = ([i, j], box) => {
      if (i < 0 || j < 0 || i + 1 >= xs.length || j + 1 >= ys.length) return null;
      const table = all(".scroll", figure).find(shown).querySelector("table");
      const row = table.tBodies[0].rows[j];
      const cell = row.cells[i + 1];
      const side = (index) => Math.min(ys[j], ys[j + 1]) * height / 1000 + index;
      place(box, xs[i], xs[i + 1], side(top), Math.abs(ys[j] - ys[j + 1]) * height / 1000);
      const [up, across] = [row.cells[0], table.tHead.rows[0].cells[i + 1]];
      const empty = cell.classList.contains("void") ? ", no rows" : "";
      return `${across.textContent.trim()}; ${up.textContent.trim()}: m ${cell.textContent.trim()}${empty}`;
    };
    follow(plot, say, {
      first: [0, 0],
      find: (x, y) => {
        const [i, j] = [band(xs, x), band(ys, (1000 * (y - top)) / height)];
        return i < 0 || j < 0 ? null : [i, j];
      },
    });
  });

  // Print everything, whatever was chosen.
  window.addEventListener("beforeprint", () => choose("all"));
  window.addEventListener("afterprint", () => {
    if (chooser && !chooser.hidden) choose(chooser.querySelector("select").value);
  });
})();
