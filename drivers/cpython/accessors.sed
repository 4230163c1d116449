# Calls for what is in a string of ASN.1, in place of its members.
s/name->d\.ip->length/ASN1_STRING_length(name->d.ip)/g
s/unsigned char \*p = name->d\.ip->data/const unsigned char *p = ASN1_STRING_get0_data(name->d.ip)/g
s/(char \*)uri->data/(const char *)ASN1_STRING_get0_data(uri)/g
s/uri->length/ASN1_STRING_length(uri)/g
