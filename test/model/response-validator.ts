// Validates records against the schemas that the service publishes, with an independent validator.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Resource } from '../../src/model/resource.ts';
import { componentSchemas, type JsonSchema } from '../../src/model/schema.ts';

/** Validator of a record as responses carry it. */
export function validatorOf(resource: Resource): ValidateFunction {
  return compiled({
    $ref: `#/components/schemas/${resource.record}`,
    components: { schemas: componentSchemas([resource]) },
  });
}

/** Validator of any schema of ours; a keyword or format that the validator does not know is an error. */
export function compiled(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  return ajv.compile(schema);
}
