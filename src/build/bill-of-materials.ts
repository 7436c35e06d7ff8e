import type { BundledPackage } from './notices/package.ts';

/** The file name of the bill of materials. */
export const billFile = 'sbom.cdx.json';

/** A package in the bill of materials. */
export type Component = Pick<BundledPackage, 'name' | 'version' | 'license'>;

/**
 * Returns the bill of materials of an executable or the npm package, in CycloneDX format. It has no time and no serial
 * number, so that builds are reproducible.
 * @see https://cyclonedx.org/docs/1.6/json
 */
export function billOfMaterials(
  product: { readonly name: string; readonly version: string },
  components: readonly Component[],
): string {
  const list = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': product.name, ...product, purl: purlOf(product) },
    },
    components: components
      .toSorted((one, other) => (purlOf(one) < purlOf(other) ? -1 : 1))
      .map(({ name, version, license }) => ({
        type: 'library',
        'bom-ref': `${name}@${version}`,
        name,
        version,
        licenses: [license.includes(' OR ') ? { expression: license } : { license: { id: license } }],
        purl: purlOf({ name, version }),
      })),
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** @see https://github.com/package-url/purl-spec */
function purlOf({ name, version }: { readonly name: string; readonly version: string }): string {
  if (name === 'Node.js') return `pkg:generic/node@${version}`;
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return `pkg:npm/${scope === undefined ? '' : `${encodeURIComponent(scope)}/`}${rest ?? ''}@${version}`;
}
