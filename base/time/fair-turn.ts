const waiting: (() => void)[] = [];
let scheduled = false;

/**
 * Waits for a turn of the event loop in which nobody else who waits here does anything: many large answers at once then
 * take turns with each other and with everything else, instead of holding up everybody by the sum of their pieces.
 */
export function fairTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}
