-- The field of a key's record in which admission keeps the key's limits packed, see shared/src/api-key-record.ts, which has
-- the same name as PACKED_TERMS.
--
-- Gives  PACKED_TERMS
--        EARLIER_TERMS  the field of the version before, which gateways that have not been stopped yet go by

local PACKED_TERMS, EARLIER_TERMS = 'terms2', 'terms'
