const waiting: (() => void)[] = [];
let scheduled = false;

/**
 * Waits for a turn of the event loop that the caller gets alone, of all callers that wait here. Many large answers at
 * once then take turns with each other and with all other work, instead of holding it up by the sum of their pieces.
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
