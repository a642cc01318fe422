/**
 * Avro says null where the domain says that a member is absent (M6). This turns the nulls of optional members of a
 * freshly decoded value into undefined, in place.
 */

import avro, { type Type } from 'avsc';

type Visit = (value: unknown) => void;
type Members = Record<string, unknown>;

/** Compiles the pass over values of a schema; undefined where the schema has no optional member. */
export function compileAbsence(type: Type): Visit | undefined {
  if (type instanceof avro.types.RecordType) return compileRecord(type);
  if (!(type instanceof avro.types.ArrayType)) return undefined;
  const visitItem = compileAbsence(type.itemsType);
  if (visitItem === undefined) return undefined;
  return (items) => {
    for (const item of items as readonly unknown[]) visitItem(item);
  };
}

function compileRecord(record: avro.types.RecordType): Visit | undefined {
  const optional: string[] = [];
  const nested: (readonly [string, Visit])[] = [];
  for (const field of record.fields) {
    const branches = branchesOf(field.type);
    if (branches.some((branch) => branch.typeName === 'null')) optional.push(field.name);
    for (const branch of branches) {
      const visit = compileAbsence(branch);
      if (visit !== undefined) nested.push([field.name, visit]);
    }
  }
  if (optional.length === 0 && nested.length === 0) return undefined;
  return (value) => {
    const members = value as Members;
    for (const name of optional) if (members[name] === null) members[name] = undefined;
    for (const [name, visit] of nested) if (members[name] !== undefined) visit(members[name]);
  };
}

function branchesOf(type: Type): readonly Type[] {
  return avro.Type.isType(type, 'union') ? (type as unknown as { types: readonly Type[] }).types : [type];
}
