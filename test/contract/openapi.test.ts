import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { errorStatus } from '../../src/contract/envelope.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';

const document = openApiDocument();
const all: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);

/** Returns the value at a path of members. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null
        ? Object.getOwnPropertyDescriptor(part, name)?.value
        : undefined,
    value,
  );
}

/** Returns every value of a member, at any depth. */
function everywhere(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name ? [member, ...everywhere(member, name)] : everywhere(member, name),
  );
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1, with the version of the API', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.3.0' } });
  });

  it.each(all)('describes %s', (name, { method, path, withoutToken, body, file, errors, query, meta }) => {
    const operation = at(document, 'paths', path, method.toLowerCase());
    expect(operation).toMatchObject({
      operationId: name,
      summary: expect.any(String),
      tags: [expect.any(String)],
    });
    expect(at(operation, 'security')).toEqual(withoutToken ? [] : undefined);

    const type = file === undefined ? 'application/json' : 'multipart/form-data';
    const schema = at(operation, 'requestBody', 'content', type, 'schema');
    if (body) {
      const fields = [...Object.keys(body.shape), ...(file === undefined ? [] : [file])];
      expect(Object.keys(Object(at(schema, 'properties'))).toSorted()).toEqual(fields.toSorted());
    } else {
      expect(schema).toBeUndefined();
    }

    const parameters = Object.values(Object(at(operation, 'parameters') ?? [])).map((one) => [
      at(one, 'in'),
      at(one, 'name'),
    ]);
    expect(parameters).toEqual([
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ['path', parameter]),
      ...Object.keys(query?.shape ?? {}).map((parameter) => ['query', parameter]),
    ]);

    const success = at(operation, 'responses', '200', 'content', 'application/json', 'schema');
    expect(at(success, 'required')).toEqual(meta ? ['success', 'data', 'meta'] : ['success', 'data']);
    const statuses = Object.keys(Object(at(operation, 'responses'))).map(Number);
    for (const code of errors) expect(statuses).toContain(errorStatus[code]);
    expect(statuses).toEqual(expect.arrayContaining([200, 400, 401, 403, 429, 500]));
  });

  it('has no other operations', () => {
    const operations = Object.values(Object(document.paths)).flatMap((item) => Object.keys(Object(item)));
    expect(operations).toHaveLength(all.length);
  });

  it('has a component for each reference, and no other', () => {
    const references = new Set(everywhere(document, '$ref'));
    const components = Object.keys(Object(at(document, 'components', 'schemas')));
    expect(references).toEqual(new Set(components.map((name) => `#/components/schemas/${name}`)));
    expect(components).toEqual(components.toSorted());
  });

  it('defines the file of a document as bytes', () => {
    const content = at(document, 'paths', '/api/openapi/v1/documents', 'post', 'requestBody', 'content');
    expect(at(content, 'multipart/form-data', 'schema')).toMatchObject({
      required: expect.arrayContaining(['file', 'team_id', 'chars']),
      properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
    });
  });
});
