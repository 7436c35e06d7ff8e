import type { BundledPackage } from './notices/package.ts';

/** The name of the file with the list. */
export const billFile = 'sbom.cdx.json';

/** A package, as far as the list names it. */
export type Component = Pick<BundledPackage, 'name' | 'version' | 'license'>;

/**
 * Returns the list of what an executable or the npm package contains, in the form of CycloneDX. Without a time and a serial
 * number, so that two builds give equal bytes.
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
