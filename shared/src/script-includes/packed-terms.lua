-- The field of a key's record in which admission keeps the key's limits packed, see shared/src/api-key-record.ts, which has
-- the same name as PACKED_TERMS.
--
-- Gives  PACKED_TERMS

local PACKED_TERMS = 'terms'
