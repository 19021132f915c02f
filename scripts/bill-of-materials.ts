import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

interface BillOfMaterials {
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string } };
}

/**
 * The packages of others that the programs hold, as a CycloneDX document (JSON) which npm makes of package-lock.json.
 * The same lock file and time give the same text.
 * @param at when the release was committed, as ISO 8601 has it
 * @throws Error where npm fails
 */
export function billOfMaterials(root: string, name: string, at: string): string {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const bill = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as BillOfMaterials;
  // The output of npm contains the name of the folder, the time of day, and a random number.
  bill.metadata.component.name = name;
  bill.metadata.timestamp = at;
  bill.serialNumber = '';
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  bill.serialNumber = `urn:uuid:${uuidOf(digest)}`;
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** A UUID of version 8, whose bits its maker may choose. */
function uuidOf(digest: string): string {
  const part = (from: number, to: number): string => digest.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
}
