/**
 * Decorators of @nestjs/swagger under their own names. They are applied once the contract is asked for: loading the
 * package is a seventh of the processor time of a start, which no request has to wait for.
 */
type Swagger = typeof import('@nestjs/swagger');
type Decorators = Pick<
  Swagger,
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiExcludeEndpoint'
  | 'ApiExtension'
  | 'ApiExtraModels'
  | 'ApiHeader'
  | 'ApiOperation'
  | 'ApiParam'
  | 'ApiProduces'
  | 'ApiProperty'
  | 'ApiResponse'
  | 'ApiSchema'
  | 'ApiSecurity'
  | 'ApiTags'
>;
type Decorated = [target: object, key?: string | symbol, descriptor?: TypedPropertyDescriptor<unknown>];

const waiting: ((swagger: Swagger) => void)[] = [];

const later =
  <Name extends keyof Decorators>(name: Name) =>
  (...options: Parameters<Decorators[Name]>) =>
  // biome-ignore lint/suspicious/noExplicitAny: a decorator of a class, of a method or of a property
  (...decorated: any[]): void => {
    waiting.push((swagger) => {
      const decorator = swagger[name] as (...options: unknown[]) => (...decorated: Decorated) => void;
      decorator(...options)(...(decorated as Decorated));
    });
  };

export const ApiBody = later('ApiBody');
export const ApiConsumes = later('ApiConsumes');
export const ApiExcludeEndpoint = later('ApiExcludeEndpoint');
export const ApiExtension = later('ApiExtension');
export const ApiExtraModels = later('ApiExtraModels');
export const ApiHeader = later('ApiHeader');
export const ApiOperation = later('ApiOperation');
export const ApiParam = later('ApiParam');
export const ApiProduces = later('ApiProduces');
export const ApiProperty = later('ApiProperty');
export const ApiResponse = later('ApiResponse');
export const ApiSchema = later('ApiSchema');
export const ApiSecurity = later('ApiSecurity');
export const ApiTags = later('ApiTags');

/** The package, with all that was said by then. */
export async function loadSwagger(): Promise<Swagger> {
  const swagger = await import('@nestjs/swagger');
  for (const decorate of waiting.splice(0)) decorate(swagger);
  return swagger;
}

/** A schema of the contract by its name. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
