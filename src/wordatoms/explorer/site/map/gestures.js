// Hands on the map: drag, wheel, pinch, double click, and keys. Tells the map what is meant, and draws nothing itself.

const STEP = 60; // pixels per arrow key
const FACTOR = 1.35; // per + or -
const STILL = 5; // a press that moves less is a click

/** `on`: pan(right, down), zoom(factor, left, top), click(left, top), hover(left, top), leave(), reset(), dismiss(). */
export function listenToHands(canvas, on) {
  listenToPointers(canvas, on);
  canvas.addEventListener("pointerleave", () => on.leave());
  canvas.addEventListener("dblclick", (event) => on.zoom(2, event.offsetX, event.offsetY));
  canvas.addEventListener("wheel", (event) => turnWheel(event, on), { passive: false });
  canvas.addEventListener("keydown", (event) => pressKey(event, on));
}

function listenToPointers(canvas, on) {
  const pointers = new Map();
  let moved = 0;
  const press = (event) => {
    canvas.setPointerCapture?.(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) moved = 0;
  };
  const move = (event) => {
    const [before, now] = [pointers.get(event.pointerId), place(event)];
    if (!before) return on.hover(now.left, now.top);
    moved += distance(now, before);
    if (pointers.size === 2) pinch(pointers, event.pointerId, now, on);
    else if (moved >= STILL) on.pan(now.left - before.left, now.top - before.top);
    return pointers.set(event.pointerId, now);
  };
  const lift = (event) => {
    const wasAlone = pointers.delete(event.pointerId) && pointers.size === 0;
    if (wasAlone && moved < STILL && event.type === "pointerup") on.click(event.offsetX, event.offsetY);
  };
  const listeners = { pointerdown: press, pointermove: move, pointerup: lift, pointercancel: lift };
  for (const [type, listener] of Object.entries(listeners)) canvas.addEventListener(type, listener);
}

function turnWheel(event, on) {
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : 1;
  on.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018)), event.offsetX, event.offsetY);
}

const place = (event) => ({ left: event.offsetX, top: event.offsetY });

/** Two fingers: what is between them stays between them. */
function pinch(pointers, moving, now, on) {
  const [other] = [...pointers].filter(([id]) => id !== moving).map(([, where]) => where);
  const before = pointers.get(moving);
  const ratio = distance(now, other) / Math.max(distance(before, other), 1);
  on.pan((now.left - before.left) / 2, (now.top - before.top) / 2);
  on.zoom(ratio, (now.left + other.left) / 2, (now.top + other.top) / 2);
}

const distance = (one, other) => Math.hypot(one.left - other.left, one.top - other.top);

function pressKey(event, on) {
  const actions = {
    ArrowLeft: () => on.pan(STEP, 0),
    ArrowRight: () => on.pan(-STEP, 0),
    ArrowUp: () => on.pan(0, STEP),
    ArrowDown: () => on.pan(0, -STEP),
    "+": () => on.zoom(FACTOR),
    "=": () => on.zoom(FACTOR),
    "-": () => on.zoom(1 / FACTOR),
    0: () => on.reset(),
    Enter: () => on.click(),
    Escape: () => on.dismiss(),
  };
  if (!(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[event.key]();
}
