import { modelsFileSchema } from '@lontar/shared/models/models-schema.ts';
import { z } from 'zod';

/** Names of models and upstreams, defaults included: what an editor needs to complete and check `models.yaml`. */
export function modelsSchemaText(): string {
  const schema = z.toJSONSchema(modelsFileSchema, { io: 'input' });
  const titled = {
    ...schema,
    title: 'models.yaml of Lontar',
    description: 'Models, upstreams and routes: docs/models.md',
  };
  return `${JSON.stringify(titled, null, 2)}\n`;
}
