import { askedBefore } from '#base/collections/asked-before.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { bundleText, unreadableBundle } from '#base/x509/ca-bundle.ts';
import type { CustomResourceConversion } from '#schema/generated/apiextensions.v1.ts';
import { base64Bytes } from '#schema/validation/content-size.ts';
import { dns1035Label } from '#schema/validation/names.ts';
import { validateWebhookClient } from '#schema/validation/webhook-client.ts';
import { refusedList } from '../schema/go-syntax.ts';

const STRATEGIES = ['None', 'Webhook'];
/** The versions of conversion reviews that this server supports. */
export const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/**
 * Checks how objects are converted from one version to another. With `recognized`, this server must support at least
 * one of the review versions. With `readable`, the bundle of authorities must be readable.
 */
export function validateConversion(
  conversion: CustomResourceConversion | undefined,
  path: FieldPath,
  { recognized, readable }: { readonly recognized: boolean; readonly readable: boolean },
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const versions = webhook?.conversionReviewVersions ?? [];
  const clientPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required(path.child('strategy')));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(path.child('strategy'), strategy, STRATEGIES));
  if (strategy === 'Webhook') {
    const client = webhook?.clientConfig;
    return [
      ...errors,
      ...(client === undefined
        ? [required(clientPath, 'required when strategy is set to Webhook')]
        : [
            ...validateWebhookClient(client, clientPath),
            ...(readable ? bundleErrors(conversion, clientPath.child('caBundle')) : []),
          ]),
      ...validateReviewVersions(versions, versionsPath, recognized),
    ];
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.push(forbiddenField(clientPath, detail));
  if (versions.length > 0) errors.push(forbiddenField(versionsPath, detail));
  return errors;
}

/**
 * Why the bundle of a conversion's webhook contains no usable certificate; undefined if it does, or if there is no
 * bundle.
 */
export function bundleProblem(conversion: CustomResourceConversion | undefined): string | undefined {
  const pem = bundleText(conversion?.webhook?.clientConfig?.caBundle);
  return pem === undefined ? undefined : unreadableBundle(pem);
}

function bundleErrors(conversion: CustomResourceConversion, path: FieldPath): FieldError[] {
  const problem = bundleProblem(conversion);
  if (problem === undefined) return [];
  const shown = `${base64Bytes(conversion.webhook?.clientConfig?.caBundle ?? '')} bytes`;
  return [invalidValue(path, shown, `unable to load root certificates: ${problem}`)];
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, recognized: boolean): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const again = askedBefore<string>();
  const errors = versions.flatMap((version, i) =>
    again(version)
      ? [invalidValue(path.index(i), version, 'duplicate version')]
      : dns1035Label(version).map((problem) => invalidValue(path.index(i), version, problem)),
  );
  if (!recognized || knowsReview(versions)) return errors;
  return [...errors, refusedList(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

/** Whether this server supports at least one of a webhook's review versions. */
export function knowsReview(versions: readonly string[] | null | undefined): boolean {
  return versions?.some((version) => REVIEW_VERSIONS.includes(version)) === true;
}
