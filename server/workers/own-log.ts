import path from 'node:path';

/**
 * The audit log of one worker: `audit.log` becomes `audit-worker2.log`. Two processes that rotate the
 * same file would lose lines. Standard output (`-`) is shared.
 */
export function ownLog(file: string, worker: number): string {
  if (file === '-') return file;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-worker${worker}${ext}`);
}
